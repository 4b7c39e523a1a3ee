// How many tokens each text has: a JSON object of texts on standard input, one of counts on standard output.
import { readFileSync } from "node:fs";
import { Tiktoken } from "js-tiktoken/lite";
import ranks from "js-tiktoken/ranks/o200k_base";

const encoding = new Tiktoken(ranks);
const texts = JSON.parse(readFileSync(0, "utf-8"));
const counts = Object.entries(texts).map(([name, text]) => [name, encoding.encode(text, "all").length]);
process.stdout.write(JSON.stringify(Object.fromEntries(counts)));
