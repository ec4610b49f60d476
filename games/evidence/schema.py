"""What the database itself keeps of refused commands: none is changed. (Old ones are let go of.)"""

from eventstore.triggers import register_triggers

TABLE = "games_refusedcommand"


def register() -> None:
    register_triggers(
        TABLE,
        sqlite=[
            f"CREATE TRIGGER {TABLE}_final BEFORE UPDATE ON {TABLE} "
            "BEGIN SELECT RAISE(ABORT, 'a refused command is kept as it was'); END"
        ],
        postgresql=[
            """
CREATE OR REPLACE FUNCTION racecard_refused_command_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a refused command is kept as it was' USING ERRCODE = 'integrity_constraint_violation';
END $$""",
            f"CREATE TRIGGER {TABLE}_final BEFORE UPDATE ON {TABLE} "
            "FOR EACH ROW EXECUTE FUNCTION racecard_refused_command_final()",
        ],
    )
