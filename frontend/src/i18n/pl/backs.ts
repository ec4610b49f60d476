export default {
  "back.harbour": "Port",
  "back.brick": "Cegła",
  "back.moss": "Mech",
  "back.plum": "Śliwka",
  "back.amber": "Bursztyn",
  "back.slate": "Łupek",
  "back.lattice": "Krata",
  "back.waves": "Fale",
  "back.dots": "Kropki",
  "back.stars": "Gwiazdy",
  "back.chevron": "Jodełka",
  "back.night": "Noc",
};
