export default {
  "topUp.what": "You have little play money left. It can be topped up once a day.",
  "topUp.do": "Add {amount}",
  "topUp.done": "{amount} added",
};
