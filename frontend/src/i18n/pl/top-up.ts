export default {
  "topUp.what": "Zostało ci mało żetonów. Raz dziennie możesz je uzupełnić.",
  "topUp.do": "Dodaj {amount}",
  "topUp.done": "Dodano {amount}",
};
