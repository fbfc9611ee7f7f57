// A made-up table of the shape of ADULT: nine columns, as many values, skewed alike. Always the same bytes.

const shape = [
  ['sex', 2], ['age', 72], ['race', 5], ['marital-status', 7], ['education', 16], ['native-country', 41], ['workclass', 8], ['occupation', 14], ['salary-class', 2],
];

export function adultLike(rows) {
  let state = 88172645463325252n;
  const draw = (below) => {
    state ^= (state << 13n) & 0xffffffffffffffffn;
    state ^= state >> 7n;
    state ^= (state << 17n) & 0xffffffffffffffffn;
    return Number(state % BigInt(below));
  };
  const lines = [shape.map(([name]) => name).join(';')];
  for (let row = 0; row < rows; row += 1) {
    lines.push(shape.map(([name, values]) => {
      // The least of three draws: a few values are frequent, many are rare.
      const value = Math.min(draw(values), draw(values), draw(values));
      return name === 'age' ? String(17 + Math.min(draw(values), draw(values))) : `${name}-${String.fromCharCode(97 + (value % 26))}${value}`;
    }).join(';'));
  }
  return `${lines.join('\n')}\n`;
}
