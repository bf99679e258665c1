import type { Condition, Field } from "@spanward/filter-language";
import type {
	AnalyticsAnswer,
	AnalyticsQuery,
	GroupPosition,
	Range,
	Totals,
} from "#storage/traces/analytics/analytics-query.ts";
import { hashOfGroup, placeAfter, type SortedGroup, sortGroups } from "#storage/traces/analytics/group-index.ts";
import type { Measure } from "#storage/traces/analytics/measures.ts";
import type { UserScore } from "#storage/traces/end-users.ts";
import type { Caller, TraceReader } from "#storage/traces/trace-store.ts";
import type { AnalyticsQuestions } from "../analytics/ask-analytics.ts";
import type { EndUserSort } from "./schemas.ts";

const MOST_SCORES = 5;
/** All groups that analytics tells apart. */
const ALL_USERS = 250_000;

const named = (name: string): Measure => ({ type: "named", name });
const ofStart = (name: "min" | "max"): Measure => ({
	type: "function",
	function: name,
	value: { type: "field", name: "start" },
});
const LAST_ROW: Measure = { type: "function", function: "max", value: { type: "field", name: "row" } };

/** What is known of a user besides when it came first, by name. */
const MEASURES = {
	traces: named("count"),
	last_seen: ofStart("max"),
	sessions: named("unique_sessions"),
	errors: named("error_count"),
	failed: named("failed_count"),
	tokens_prompt: named("tokens_prompt"),
	tokens_completion: named("tokens_completion"),
	tokens_total: named("tokens_total"),
	cost_total: named("cost_total"),
	latency_p95: named("latency_p95"),
} as const;
type MeasureName = keyof typeof MEASURES;
const NAMES = Object.keys(MEASURES) as MeasureName[];

export type Figures = Readonly<Record<MeasureName, number | null>>;

/** Traces of a project, and which of their users are meant. */
export interface TracesOfUsers extends Range {
	readonly projectId: number;
	/** A condition on traces. */
	readonly condition: Condition | undefined;
	readonly text: string | undefined;
	readonly timeoutMs: number;
}

export interface EndUsersAsked extends TracesOfUsers {
	/** Part of the id. */
	readonly part: string | undefined;
	readonly sort: EndUserSort;
	readonly order: "asc" | "desc";
	readonly limit: number;
	/** What the first page was about. */
	readonly lastRow: number | undefined;
	readonly after: GroupPosition | undefined;
}

export interface FoundUser {
	readonly userId: string;
	readonly firstMicros: number | undefined;
	readonly figures: Figures;
	readonly scores: readonly UserScore[];
	/** The start of what was read, when time was up before all was. */
	readonly coveredMicros: number | undefined;
}

export interface FoundUsers {
	readonly users: readonly FoundUser[];
	/** Where the next page begins; undefined behind the last one. */
	readonly next: GroupPosition | undefined;
	readonly lastRow: number;
	readonly tracesWithoutUser: number;
	readonly coveredMicros: number | undefined;
}

/** Asks as an analytics question asks: in turns with others, and ended when the caller hangs up. */
export class EndUsers {
	readonly #questions: AnalyticsQuestions;
	readonly #traces: TraceReader;
	readonly #caller: Caller;

	constructor(questions: AnalyticsQuestions, traces: TraceReader, caller: Caller) {
		this.#questions = questions;
		this.#traces = traces;
		this.#caller = caller;
	}

	/** A page of the users that have a trace in the range, sorted: which ones they are, then what is known of each. */
	async list(asked: EndUsersAsked): Promise<FoundUsers> {
		const { sort, order, limit, after, part } = asked;
		const isByFirst = sort === "first_seen";
		const answer = await this.#ask({
			...queryOf(asked, part === undefined ? undefined : contains(part)),
			measures: [MEASURES.traces, isByFirst ? MEASURES.last_seen : MEASURES[sort], LAST_ROW],
			sort: { by: isByFirst ? "group" : 1, descending: order === "desc" },
			limit: isByFirst ? ALL_USERS : limit + 1,
			leavesOutNull: true,
			...(asked.lastRow === undefined ? {} : { lastRow: asked.lastRow }),
			...(after === undefined || isByFirst ? {} : { after }),
		});
		const sorted = isByFirst
			? await this.#byFirst(answer, asked)
			: answer.groups.map(({ group, totals }) => ({ group, value: totals[1] ?? null }));
		const page = sorted.slice(0, limit);
		const last = page.at(-1);
		const lastRow = asked.lastRow ?? answer.all.totals[2] ?? 0;
		const users = await this.#known(page.map(userOf), { ...asked, lastRow });
		const listed = [...answer.groups, answer.others].reduce((sum, cells) => sum + (cells?.totals[0] ?? 0), 0);
		return {
			users,
			next:
				last === undefined || sorted.length <= limit ? undefined : { value: last.value, hash: hashOfGroup(last.group) },
			lastRow,
			tracesWithoutUser: (answer.all.totals[0] ?? 0) - listed,
			coveredMicros: later(answer.coveredMicros, ...users.map((user) => user.coveredMicros)),
		};
	}

	/** One user; undefined when the project has no trace of it at all. */
	async find(asked: TracesOfUsers, userId: string): Promise<FoundUser | undefined> {
		const [user] = await this.#known([userId], asked);
		return user?.firstMicros === undefined ? undefined : user;
	}

	/** Users by their first trace of all, which the question does not read. */
	async #byFirst({ groups }: AnalyticsAnswer, { projectId, order, after }: EndUsersAsked): Promise<SortedGroup[]> {
		const first = await this.#traces.findFirstSeen(projectId);
		const sorted = groups.map(({ group }) => ({ group, value: first.get(userOf({ group })) ?? null }));
		const descending = order === "desc";
		sortGroups(sorted, { by: 0, descending });
		return after === undefined ? sorted : sorted.slice(placeAfter(sorted, after, descending));
	}

	/** What is known of these users, in their order. */
	async #known(
		userIds: readonly string[],
		asked: TracesOfUsers & { readonly lastRow?: number | undefined },
	): Promise<FoundUser[]> {
		if (userIds.length === 0) return [];
		const { projectId, startMicros, endMicros, lastRow } = asked;
		const [answer, first, scores] = await Promise.all([
			this.#ask({
				...queryOf(asked, { type: "in", value: USER, list: userIds.map(literal) }),
				measures: NAMES.map((name) => MEASURES[name]),
				sort: { by: "group", descending: false },
				limit: userIds.length,
				...(lastRow === undefined ? {} : { lastRow }),
			}),
			this.#traces.findFirstSeen(projectId, userIds),
			this.#traces.findUserScores({ projectId, userIds, startMicros, endMicros }),
		]);
		const totals = new Map(answer.groups.map((found) => [userOf(found), found.totals]));
		const byUser = Map.groupBy(scores, ({ userId }) => userId);
		return userIds.map((userId) => {
			const own = (byUser.get(userId) ?? []).toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
			return {
				userId,
				firstMicros: first.get(userId),
				figures: figuresOf(totals.get(userId)),
				scores: own.slice(0, MOST_SCORES),
				coveredMicros: answer.coveredMicros,
			};
		});
	}

	async #ask(query: AnalyticsQuery): Promise<AnalyticsAnswer> {
		return await this.#questions.ask(this.#traces, query, this.#caller);
	}
}

const USER: Field = { type: "field", row: 0, ofParent: false, name: "user_id", valueType: "text" };

function literal(value: string) {
	return { type: "literal", value, valueType: "text" } as const;
}

function contains(part: string): Condition {
	return { type: "contains", text: literal(part), within: USER };
}

function queryOf(asked: TracesOfUsers, ofUsers: Condition | undefined) {
	const { projectId, startMicros, endMicros, condition, text, timeoutMs } = asked;
	const conditions = [condition, ofUsers].filter((each) => each !== undefined);
	const [only] = conditions;
	const both: Condition | undefined = conditions.length > 1 ? { type: "and", conditions } : only;
	return {
		of: "traces",
		projectIds: [projectId],
		...(both === undefined ? {} : { condition: both }),
		...(text === undefined ? {} : { text }),
		edges: [startMicros, endMicros],
		groupBy: [{ type: "field", name: "user" }],
		timeoutMs,
	} as const;
}

function userOf({ group }: Pick<SortedGroup, "group">): string {
	return String(group[0]);
}

function figuresOf(totals: Totals = []): Figures {
	// Names are those of the measures, in their order.
	return Object.fromEntries(NAMES.map((name, place) => [name, totals[place] ?? null])) as Figures;
}

/** The latest of some times, of those that there are. */
function later(...times: readonly (number | undefined)[]): number | undefined {
	const known = times.filter((time) => time !== undefined);
	return known.length === 0 ? undefined : Math.max(...known);
}
