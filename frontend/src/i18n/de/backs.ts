export default {
  "back.harbour": "Hafen",
  "back.brick": "Ziegel",
  "back.moss": "Moos",
  "back.plum": "Pflaume",
  "back.amber": "Bernstein",
  "back.slate": "Schiefer",
  "back.lattice": "Gitter",
  "back.waves": "Wellen",
  "back.dots": "Punkte",
  "back.stars": "Sterne",
  "back.chevron": "Winkel",
  "back.night": "Nacht",
};
