export default {
  "back.harbour": "Harbour",
  "back.brick": "Brick",
  "back.moss": "Moss",
  "back.plum": "Plum",
  "back.amber": "Amber",
  "back.slate": "Slate",
  "back.lattice": "Lattice",
  "back.waves": "Waves",
  "back.dots": "Dots",
  "back.stars": "Stars",
  "back.chevron": "Chevron",
  "back.night": "Night",
} as const;
