export default {
  "amount.wrong": "Podaj kwotę, na przykład {example}.",
  "amount.unclear": "{typed} może oznaczać {more} lub {less}. Podaj jedną z tych kwot.",
};
