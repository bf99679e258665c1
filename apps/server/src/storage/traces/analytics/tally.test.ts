import { expect, test } from "vitest";
import { type AnalyticsQuery, TooManyGroups } from "./analytics-query.ts";
import { analyze, type Look } from "./analyze.ts";
import { MOST_GROUPS } from "./tally.ts";

const QUERY: AnalyticsQuery = {
	of: "spans",
	projectIds: [1],
	edges: [0, 10, 20],
	groupBy: [{ type: "field", name: "user" }],
	measures: [
		{ type: "named", name: "count" },
		{ type: "named", name: "unique_traces" },
		{ type: "named", name: "latency_p50" },
	],
	sort: { by: 0, descending: true },
	limit: 2,
	timeoutMs: 60_000,
};

/** So many users with a row in each bucket; the last two have more. */
function manyUsers(users: number, looks: { count: number }): Look {
	return async function* () {
		looks.count += 1;
		const row = (user: number, micros: number, trace: number) => ({
			micros,
			groups: [`user-${user}`],
			quantities: [1_000],
			identities: [trace],
		});
		yield { rows: Array.from({ length: users }, (_, user) => row(user, 15, user)), reachedMicros: 10 };
		const extra = [row(users - 1, 5, 7), row(users - 1, 5, 7), row(users - 2, 5, 8)];
		yield { rows: [...Array.from({ length: users }, (_, user) => row(user, 5, user)), ...extra], reachedMicros: 0 };
	};
}

test("of few groups one look is enough, of many a second one tells their buckets apart", async () => {
	for (const [users, wanted] of [
		[50, 1],
		[60_000, 2],
	] as const) {
		const looks = { count: 0 };
		const answer = await analyze(QUERY, manyUsers(users, looks));
		expect(looks.count).toBe(wanted);
		expect(answer.groupCount).toBe(users);
		expect(answer.groups.map(({ group }) => group)).toEqual([[`user-${users - 1}`], [`user-${users - 2}`]]);
		expect(answer.groups[0]).toMatchObject({
			totals: [4, 2, expect.closeTo(1, 1)],
			values: [
				[3, 1],
				[2, 1],
				[expect.closeTo(1, 1), expect.closeTo(1, 1)],
			],
		});
		expect(answer.others?.totals.slice(0, 2)).toEqual([2 * (users - 2), users - 2]);
		expect(answer.all.totals.slice(0, 2)).toEqual([2 * users + 3, users]);
		expect(answer.all.values[0]).toEqual([users + 3, users]);
	}
});

test("more groups than can be told apart are refused", async () => {
	await expect(analyze(QUERY, manyUsers(MOST_GROUPS + 1, { count: 0 }))).rejects.toThrow(TooManyGroups);
});
