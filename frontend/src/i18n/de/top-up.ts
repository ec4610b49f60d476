export default {
  "topUp.what": "Du hast nur noch wenig Spielgeld. Es lässt sich einmal am Tag auffüllen.",
  "topUp.do": "{amount} hinzufügen",
  "topUp.done": "{amount} hinzugefügt",
};
