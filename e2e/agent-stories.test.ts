import { afterAll, beforeAll, expect, test } from "vitest";
import { connectAgent, openShop, runAgent, runOperator, runScript, type Shop, sumOf } from "./agent-stories.ts";

let shop: Shop;
beforeAll(async () => {
	shop = await openShop();
});
afterAll(() => shop[Symbol.asyncDispose]());

test("AG16 an agent finds yesterday's worst failures, shows one, and makes them examples: four calls, under 20,000 tokens, asked before it writes", async () => {
	await using agent = await connectAgent(shop, shop.key);
	const { steps, asked, text } = await runAgent(agent);
	expect(steps.slice(1).map(({ what }) => what)).toEqual([
		"list_projects",
		"search_traces",
		"get_trace",
		"add_examples",
	]);
	expect(sumOf(steps)).toBeLessThan(20_000);
	expect(asked).toEqual(["add_examples"]);
	expect(text).toContain("5 new examples");
	const { data } = await agent.call("get_examples", { dataset: "regressions" });
	const worst = shop.failed.slice(0, 5).map(({ rootSpanId }) => rootSpanId);
	expect(data.examples.map((example: { span_id: string }) => example.span_id).toSorted()).toEqual(worst.toSorted());
});

test("AG16 with a key that may only read the agent is offered nothing that writes, and stops before", async () => {
	await using agent = await connectAgent(shop, shop.readOnlyKey);
	const { steps, asked } = await runAgent(agent);
	expect(steps.slice(1).map(({ what }) => what)).toEqual(["list_projects", "search_traces", "get_trace"]);
	expect(asked).toEqual([]);
});

test("a script in CI gets failing traces, a prompt and a dataset in one line each, and fails on a regression", async () => {
	const steps = await runScript(shop);
	expect(steps.map(({ code }) => code)).toEqual([0, 0, 0, 1]);
	const [list, , , gate] = steps;
	const traces = (list?.stdout ?? "").trim().split("\n");
	expect(traces.map((line) => JSON.parse(line).error_count > 0)).toEqual(Array(5).fill(true));
	expect(gate?.stderr).toBe("Regressed: correct of worse.\n");
});

test("an operator watches traces come in a terminal, and looks at the one that failed", async () => {
	const [tail, show] = await runOperator(shop);
	expect(tail).toMatchObject({ code: 130, stdout: expect.stringContaining("shop agent") });
	expect(show).toMatchObject({ code: 0, stdout: expect.stringContaining("order service answered 503") });
});
