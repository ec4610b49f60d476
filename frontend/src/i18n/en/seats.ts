export default {
  "seats.freeSeat": "free",
  "seats.free": { one: "{count} seat is free.", other: "{count} seats are free." },
  "seats.sit": "Sit down",
  "seats.stand": "Stand up again",
  "seats.deal": "Deal",
  "seats.invite": "Link for who may sit down here:",
} as const;
