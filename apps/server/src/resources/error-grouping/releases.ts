import type { Condition } from "@spanward/filter-language";
import { sql } from "kysely";
import type { Database } from "#storage/database.ts";
import { ConditionTooSlow } from "#storage/traces/condition-too-slow.ts";
import type { TraceReader } from "#storage/traces/trace-store.ts";

/** When a release was first seen in a project, in microseconds. @throws ReleaseUnknown */
export type FirstSeen = (projectId: number, release: string) => number | undefined;

/** It has not been asked for when a release was first seen. */
export class ReleaseUnknown extends Error {
	override readonly name = "ReleaseUnknown";
	readonly projectId: number;
	readonly release: string;

	constructor(projectId: number, release: string) {
		super(`it is not known when the release ${release} was first seen in project ${projectId}`);
		this.projectId = projectId;
		this.release = release;
	}
}

/** What was found out about releases. */
export class KnownReleases {
	readonly #firstSeen = new Map<string, number | undefined>();

	/** As {@link FirstSeen}; undefined for a release without spans. */
	readonly firstSeen: FirstSeen = (projectId, release) => {
		const key = keyOf(projectId, release);
		if (!this.#firstSeen.has(key)) throw new ReleaseUnknown(projectId, release);
		return this.#firstSeen.get(key);
	};

	/** Finds out about a release. What is found is noted, as its first spans will be deleted some day. */
	async find(db: Database, traces: TraceReader, { projectId, release }: ReleaseUnknown): Promise<void> {
		const noted = await db.read
			.selectFrom("error_releases")
			.select("first_seen")
			.where("project_id", "=", projectId)
			.where("release", "=", release)
			.executeTakeFirst();
		this.#firstSeen.set(
			keyOf(projectId, release),
			noted?.first_seen ?? (await findAnew(db, traces, { projectId, release })),
		);
	}
}

function keyOf(projectId: number, release: string): string {
	return `${projectId} ${release}`;
}

interface Release {
	readonly projectId: number;
	readonly release: string;
}

async function findAnew(
	db: Database,
	traces: TraceReader,
	{ projectId, release }: Release,
): Promise<number | undefined> {
	const first =
		(await firstSpan(traces, { projectId, release })) ?? (await firstOccurrence(db, { projectId, release }));
	if (first === undefined) return undefined;
	await db.write(async (transaction) => {
		await sql`
			insert into error_releases (project_id, release, first_seen)
			select id, ${release}, ${first} from projects where id = ${projectId}
			on conflict (project_id, release) do nothing`.execute(transaction);
	});
	return first;
}

/** Undefined without any, or where reading takes too long. */
async function firstSpan(traces: TraceReader, { projectId, release }: Release): Promise<number | undefined> {
	const condition: Condition = {
		...{ type: "compare", operator: "==" },
		left: { type: "field", row: 0, ofParent: false, name: "release", valueType: "text" },
		right: { type: "literal", value: release, valueType: "text" },
	};
	const query = {
		...({ projectId, condition, sort: "start_time", order: "asc", limit: 1 } as const),
		caller: { name: "error grouping", isPatient: true },
	};
	try {
		for (let page = await traces.listSpans(query); ; ) {
			const [first] = page.items;
			if (first !== undefined) return first.start.micros;
			if (page.next === undefined) return undefined;
			page = await traces.listSpans({ ...query, from: page.next });
		}
	} catch (error) {
		if (error instanceof ConditionTooSlow) return undefined;
		throw error;
	}
}

/** Of projects whose releases are in an attribute of their own, only failures are known. */
async function firstOccurrence(db: Database, { projectId, release }: Release): Promise<number | undefined> {
	const { first } = await db.read
		.selectFrom("error_occurrences")
		.select((row) => row.fn.min<number | null>("start_micros").as("first"))
		.where("project_id", "=", projectId)
		.where("release", "=", release)
		.executeTakeFirstOrThrow();
	return first ?? undefined;
}
