export default {
  "amount.wrong": "Gib einen Betrag ein, zum Beispiel {example}.",
  "amount.unclear": "{typed} könnte {more} oder {less} bedeuten. Gib einen dieser Beträge ein.",
};
