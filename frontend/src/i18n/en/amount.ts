export default {
  "amount.wrong": "Enter an amount, such as {example}.",
  "amount.unclear": "{typed} could mean {more} or {less}. Enter one of these.",
};
