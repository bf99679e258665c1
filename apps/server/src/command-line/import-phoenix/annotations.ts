import type { Insertable } from "kysely";
import { UserError } from "#base/errors.ts";
import { AnnotationConfigBody } from "#resources/annotation-configs/schemas.ts";
import { toDefinition } from "#resources/annotation-configs/to-annotation-config.ts";
import { findTargets } from "#resources/annotations/find-targets.ts";
import { ANNOTATOR_KINDS, type AnnotationTarget, type Tables } from "#storage/schema.ts";
import type { EntityKind } from "#storage/traces/entity.ts";
import { readTable } from "./source.ts";
import type { Import } from "./target.ts";
import { countOf, isObject, jsonOf, microsOf, numberOf, objectTextOf, textOf } from "./values.ts";

interface Kind {
	readonly target: AnnotationTarget;
	readonly entity: EntityKind;
	readonly table: string;
	readonly joins: string;
	readonly id: string;
}

const OF_SPANS =
	"join spans on spans.id = span_rowid join traces on traces.id = trace_rowid join projects on projects.id = project_rowid";
const KINDS: readonly Kind[] = [
	{ target: "span", entity: "span", table: "span_annotations", joins: OF_SPANS, id: "spans.span_id" },
	{ target: "document", entity: "span", table: "document_annotations", joins: OF_SPANS, id: "spans.span_id" },
	{
		...{ target: "trace", entity: "trace", table: "trace_annotations", id: "traces.trace_id" },
		joins: "join traces on traces.id = trace_rowid join projects on projects.id = project_rowid",
	},
	{
		...{
			target: "session",
			entity: "session",
			table: "project_session_annotations",
			id: "project_sessions.session_id",
		},
		joins:
			"join project_sessions on project_sessions.id = project_session_id join projects on projects.id = project_sessions.project_id",
	},
];
const COLUMNS = [
	...["name", "identifier", "label", "score", "explanation", "metadata", "annotator_kind", "source", "user_id"],
	...["document_position", "created_at", "updated_at"],
];
const MAX_LABEL = 1_000;
const MAX_EXPLANATION = 65_536;

/** Imports the annotations of imported spans, traces and sessions; existing ones stay as they are. */
export async function importAnnotations(job: Import): Promise<void> {
	for (const kind of KINDS) await importKind(job, kind);
}

async function importKind({ source, storage, report, users, projects, onProgress }: Import, kind: Kind): Promise<void> {
	const more = `${kind.id} as target_id, projects.name as project_name`;
	const what = `${kind.target} annotations`;
	let done = 0;
	for await (const rows of readTable(source, kind.table, COLUMNS, { joins: kind.joins, more })) {
		const ids = rows.map((row) => String(row["target_id"]));
		const found = await findTargets(storage.traces, kind.entity, ids);
		const entities = new Map(found.map((entity) => [`${entity.projectId} ${entity.storedId}`, entity]));
		const values = rows.flatMap((row): Insertable<Tables["annotations"]>[] => {
			const id = String(row["target_id"]);
			const wanted = kind.entity === "session" ? id : id.toLowerCase();
			const entity = entities.get(`${projects.get(String(row["project_name"]).trim())} ${wanted}`);
			const annotator = ANNOTATOR_KINDS.find((known) => known === row["annotator_kind"]);
			if (entity === undefined || annotator === undefined) {
				report.leave(`${what} of what is not there`);
				return [];
			}
			const name = report.nameOf(row, what);
			const position = kind.target === "document" ? countOf(row["document_position"]) : -1;
			if (name === undefined) return [];
			if (position === undefined) {
				report.leave(`${what} of positions that are none`);
				return [];
			}
			return [
				{
					target: kind.target,
					target_row_id: entity.rowId,
					document_position: position,
					project_id: entity.projectId,
					span_row_id: kind.entity === "span" ? entity.rowId : null,
					trace_row_id: entity.traceRowId,
					session_row_id: kind.entity === "session" ? entity.rowId : null,
					name,
					identifier: report.textOf(row["identifier"], MAX_LABEL) ?? "",
					annotator_kind: annotator,
					label: report.textOf(row["label"], MAX_LABEL),
					score: numberOf(row["score"]),
					explanation: report.textOf(row["explanation"], MAX_EXPLANATION),
					metadata: objectTextOf(row["metadata"]),
					source: row["source"] === "APP" ? "APP" : "API",
					user_id: users.get(Number(row["user_id"])) ?? null,
					created_at: microsOf(row["created_at"]),
					updated_at: microsOf(row["updated_at"]),
				},
			];
		});
		const inserted =
			values.length === 0
				? []
				: await storage.db.write(async (transaction) => {
						const rowIds = [...new Set(values.map((row) => row.target_row_id))];
						// A server may delete an entity meanwhile.
						const current = await storage.traces.findEntities(kind.entity, rowIds, transaction);
						const there = new Set(current.map(({ rowId }) => rowId));
						const present = values.filter((row) => there.has(row.target_row_id));
						if (present.length === 0) return [];
						return await transaction
							.insertInto("annotations")
							.values(present)
							.onConflict((conflict) => conflict.doNothing())
							.returning("id")
							.execute();
					});
		report.count(what, rows.length, inserted.length);
		done += rows.length;
		onProgress(what, done);
	}
}

/** Imports annotation configs, and their assignments to projects. */
export async function importAnnotationConfigs({ source, storage, report, projects }: Import): Promise<void> {
	const byId = new Map<number, number>();
	for await (const rows of readTable(source, "annotation_configs", ["name", "config"])) {
		for (const row of rows) {
			const name = report.nameOf(row, "annotation configs");
			if (name === undefined) continue;
			const definition = definitionOf(name, textOf(row["config"]) ?? "");
			report.count("annotation configs", 1, 0);
			if (definition === undefined) {
				report.leave(`annotation config ${name}: Spanward does not support its definition`);
				continue;
			}
			const now = Date.now() * 1_000;
			const [inserted, found] = await storage.db.write(async (transaction) => {
				const created = await transaction
					.insertInto("annotation_configs")
					.values({ name, definition, created_at: now, updated_at: now })
					.onConflict((conflict) => conflict.column("name").doNothing())
					.execute();
				const known = transaction.selectFrom("annotation_configs").select("id").where("name", "=", name);
				return [Number(created[0]?.numInsertedOrUpdatedRows ?? 0), await known.executeTakeFirstOrThrow()] as const;
			});
			byId.set(Number(row["id"]), found.id);
			report.count("annotation configs", 0, inserted);
		}
	}
	const joins = "join projects on projects.id = project_id";
	const columns = ["annotation_config_id"];
	for await (const rows of readTable(source, "project_annotation_configs", columns, {
		joins,
		more: "projects.name as project_name",
	})) {
		const values = rows.flatMap((row) => {
			const project = projects.get(String(row["project_name"]).trim());
			const config = byId.get(Number(row["annotation_config_id"]));
			return project === undefined || config === undefined ? [] : [{ project_id: project, config_id: config }];
		});
		if (values.length === 0) continue;
		await storage.db.write((transaction) =>
			transaction
				.insertInto("project_annotation_configs")
				.values(values)
				.onConflict((conflict) => conflict.doNothing())
				.execute(),
		);
	}
}

function definitionOf(name: string, text: string): string | undefined {
	const config = jsonOf(text);
	const parsed = AnnotationConfigBody.safeParse({ ...(isObject(config) ? config : {}), name });
	if (!parsed.success) return undefined;
	try {
		return toDefinition(parsed.data);
	} catch (error) {
		if (error instanceof UserError) return undefined;
		throw error;
	}
}
