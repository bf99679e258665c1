import type { SummedRows } from "./analyze.ts";
import type { PartKind } from "./parts.ts";
import type { AnalyticsPlan } from "./plan.ts";

type PartKey = `${PartKind} ${string}`;

const START = 'value {"type":"field","name":"start"}';
const ROW = 'value {"type":"field","name":"row"}';

/** What SQL says of the traces of a user, by parts of cells. */
const SUMS: Readonly<Record<PartKey, readonly string[]>> = {
	"cost cost_total": ["sum(cost_micro)", "sum(cost_pico)"],
	[`max ${START}`]: ["max(start_micros)"],
	[`count ${START}`]: ["count(*)"],
	[`max ${ROW}`]: ["max(id)"],
	[`count ${ROW}`]: ["count(*)"],
};

/**
 * A user, the number of traces, and what {@link UserSums.columns} name of them, or nothing more where it is not asked for;
 * a database may have numbers as texts.
 */
export type UserRow = readonly [user: string | null, count: number | string, ...(number | string)[]];

/** The traces of each user of a project, as the database itself adds them up in one stretch of time. */
export class UserSums {
	readonly #places: readonly number[];
	/** Of `traces`, grouped by `user_id`. */
	readonly columns: readonly string[];

	private constructor({ parts }: AnalyticsPlan) {
		const columns = parts.keys.flatMap((key) =>
			(SUMS[key] ?? []).map((sql, next) => ({ sql, place: (parts.placeOf(key) ?? 0) + next })),
		);
		this.#places = columns.map(({ place }) => place);
		this.columns = ["user_id", "count(*)", ...columns.map(({ sql }) => sql)];
	}

	/** Undefined where a question asks for more. */
	static of(plan: AnalyticsPlan): UserSums | undefined {
		const { of, groupBy, edges, leavesOutNull, condition, text } = plan.query;
		const [by] = groupBy;
		if (of !== "traces" || groupBy.length !== 1 || by?.type !== "field" || by.name !== "user") return undefined;
		if (edges.length > 2 || leavesOutNull !== true || condition !== undefined || text !== undefined) return undefined;
		return plan.parts.keys.every((key) => key in SUMS) ? new UserSums(plan) : undefined;
	}

	/** @param micros a time in the stretch */
	toSums(rows: readonly UserRow[], micros: number): SummedRows[] {
		// One map for all users, of whom there are many: it is read at once.
		const values = new Map<number, number>();
		return rows.map(([user, count, ...sums]) => ({
			micros,
			group: [user],
			addTo: (cell) => {
				values.clear();
				for (const [at, sum] of sums.entries()) values.set(this.#places[at] ?? 0, Number(sum));
				cell.addSums(Number(count), values);
			},
		}));
	}
}
