import { insertPolicy, type RetentionLimits } from "#resources/retention/queries.ts";
import { CreateRetentionPolicyBody } from "#resources/retention/schemas.ts";
import { listed } from "#storage/listed.ts";
import type { TraceReader } from "#storage/traces/trace-store.ts";
import { readTable, type SourceRow } from "./source.ts";
import type { Import } from "./target.ts";
import { isObject, jsonOf, numberOf, textOf } from "./values.ts";

const COLUMNS = ["name", "cron_expression", "rule"];
/** Phoenix's row number of the default policy. */
const DEFAULT_ID = 0;

/**
 * Imports retention policies, each with its projects in one transaction. Existing policies stay as they are, with their
 * projects, so that no later choice is undone. A project that already has traces keeps its policy, as the imported one
 * might delete them. Has to be called before the spans are imported.
 */
export async function importRetention({ source, storage, report, projects }: Import): Promise<void> {
	for await (const rows of readTable(source, "project_trace_retention_policies", COLUMNS)) {
		for (const row of rows) {
			const limits = limitsOf(row);
			if (Number(row["id"]) === DEFAULT_ID) {
				if (limits?.max_days !== null || limits.max_traces !== null)
					report.leave(
						"default retention policy, which is a setting in Spanward: SERVICE_DEFAULT_RETENTION_POLICY_DAYS",
					);
				continue;
			}
			report.count("retention policies", 1, 0);
			const body = { name: textOf(row["name"]), cron: textOf(row["cron_expression"]), ...limits };
			const parsed = CreateRetentionPolicyBody.safeParse(body);
			if (limits === undefined || !parsed.success) {
				report.leave("retention policies with a name, time or rule that Spanward does not support");
				continue;
			}
			const { name, cron } = parsed.data;
			const members = (await readProjects(source, Number(row["id"]))).flatMap((project) => projects.get(project) ?? []);
			const kept = await storage.db.write(async (transaction) => {
				const now = Date.now() * 1_000;
				const policy = await insertPolicy(transaction, { name, cron: cron?.trim() ?? "", ...limits, now });
				if (policy === undefined) return undefined;
				if (members.length === 0) return 0;
				const empty = await withoutTraces(storage.traces, members);
				const changed = await transaction
					.updateTable("projects")
					.set({ retention_policy_id: policy.id })
					.where("id", "in", listed(empty))
					.where("retention_policy_id", "is", null)
					.returning("id")
					.execute();
				return members.length - changed.length;
			});
			if (kept === undefined) continue;
			report.count("retention policies", 0, 1);
			report.leave(`projects that already have traces and do not get the retention policy ${name}`, kept);
		}
	}
}

async function withoutTraces(traces: TraceReader, projectIds: readonly number[]): Promise<readonly number[]> {
	const empty: number[] = [];
	for (const projectId of projectIds) {
		const { items } = await traces.listTraces({ projectId, sort: "start_time", order: "desc", limit: 1 });
		if (items.length === 0) empty.push(projectId);
	}
	return empty;
}

/** @returns undefined for a rule of unknown type. In Phoenix, a limit of 0 means none. */
function limitsOf(row: SourceRow): RetentionLimits | undefined {
	const rule = jsonOf(textOf(row["rule"]) ?? "");
	if (!isObject(rule)) return undefined;
	const limit = (name: string) => {
		const number = numberOf(textOf(rule[name] as SourceRow[string]));
		return number === 0 ? null : number;
	};
	const [days, count] = [limit("max_days"), limit("max_count")];
	switch (rule["type"]) {
		case "max_days":
			return { max_days: days, max_traces: null, keep_annotated: false };
		case "max_count":
			return { max_days: null, max_traces: count, keep_annotated: false };
		case "max_days_or_count":
			return { max_days: days, max_traces: count, keep_annotated: false };
		default:
			return undefined;
	}
}

async function readProjects(source: Import["source"], policy: number): Promise<string[]> {
	const options = { where: "trace_retention_policy_id = ?", parameters: [policy] };
	if (source.columns.get("projects")?.has("trace_retention_policy_id") !== true) return [];
	const names: string[] = [];
	for await (const rows of readTable(source, "projects", ["name"], options))
		for (const row of rows) names.push(String(row["name"]).trim());
	return names;
}
