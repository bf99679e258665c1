import { connectAgent, openShop, runAgent, runOperator, runScript, type Step, sumOf } from "../../e2e/agent-stories.ts";
import { type Figure, formatNumber } from "../figure.ts";

/** Of story 1, and what a person or a script may be shown of the others. */
const MOST_TOKENS = 20_000;

/** How much an agent reads of what it is asked most often, and what scripts and operators get of theirs, in tokens of 4 bytes. */
export async function measureStories(): Promise<Figure[]> {
	await using shop = await openShop();
	await using agent = await connectAgent(shop, shop.key);
	return [
		storyFigure("story 1: an agent turns yesterday's worst failures into examples", (await runAgent(agent)).steps),
		storyFigure("story 2: a script in CI", await runScript(shop)),
		storyFigure("story 3: an operator at a terminal", await runOperator(shop)),
	];
}

function storyFigure(name: string, steps: readonly Step[]): Figure {
	return {
		...{ name, value: sumOf(steps), unit: "tokens", target: { atMost: MOST_TOKENS } },
		detail: steps.map(({ what, tokens }) => `${what.replaceAll("|", "/")}: ${formatNumber(tokens)}`).join("; "),
	};
}
