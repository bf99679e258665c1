import type { Transaction } from "kysely";
import { UserError } from "#base/errors.ts";
import { present } from "#base/present.ts";
import { objectFromJsonText } from "#http/json-values.ts";
import { findTargets } from "#resources/annotations/find-targets.ts";
import { reserveVersion } from "#resources/datasets/change-dataset.ts";
import { toContent } from "#resources/datasets/content.ts";
import {
	addMembers,
	addSplits,
	endMembers,
	endRevisions,
	insertExamples,
	insertRevisions,
	linkTo,
	type NewVersion,
	type SpanLink,
} from "#resources/datasets/version-writer.ts";
import type { Tables } from "#storage/schema.ts";
import { importExperiments } from "./experiments.ts";
import { readTable, type SourceRow } from "./source.ts";
import { type Import, ImportReport, isRefusedRow } from "./target.ts";
import { colorOf, microsOf, nameOf, objectTextOf, textOf } from "./values.ts";

const MAX_DESCRIPTION = 10_000;
/** Few at a time, as revisions may be long. */
const STEP_REVISIONS = 100;
const MAX_CONTENT = 8 * 1_024 * 1_024;
/** A dataset that is being written: Spanward's row numbers by Phoenix's. */
export interface WrittenDataset {
	readonly id: number;
	readonly versions: Map<number, number>;
	readonly examples: Map<number, number>;
	readonly splits: Map<string, number>;
}

interface Lifetime {
	readonly from: number;
	to: number | undefined;
}

/**
 * Imports datasets with their versions, examples, splits, labels and experiments, each in one transaction, so that a
 * dataset is imported as a whole or not at all. One with the name of an existing dataset is left out.
 */
export async function importDatasets(job: Import): Promise<void> {
	const { source, storage, report } = job;
	const columns = ["name", "description", "metadata", "created_at", "updated_at"];
	for await (const rows of readTable(source, "datasets", columns)) {
		for (const row of rows) {
			// The transaction may be run again, so its counts are added after the commit.
			const name = report.nameOf(row, "datasets");
			if (name === undefined) continue;
			const counted = await storage.db
				.write(async (transaction) => {
					const counts = new ImportReport();
					return (await importDataset({ ...job, report: counts }, transaction, row, name)) ? counts : undefined;
				})
				.catch((error: unknown) => {
					if (!isRefusedRow(error)) throw error;
					report.leave("datasets, with their experiments, whose rows contradict each other");
					return undefined;
				});
			report.count("datasets", 1, counted === undefined ? 0 : 1);
			if (counted === undefined) continue;
			for (const [kind, { read, written }] of counted.carried) report.count(kind, read, written);
			for (const [reason, count] of counted.left) report.leave(reason, count);
		}
	}
}

async function importDataset(
	job: Import,
	transaction: Transaction<Tables>,
	row: SourceRow,
	name: string,
): Promise<boolean> {
	const known = transaction
		.selectFrom("datasets")
		.select("id")
		.where("name", "=", name)
		.where("state", "<>", "deleting");
	if ((await known.executeTakeFirst()) !== undefined) return false;
	const { id } = await transaction
		.insertInto("datasets")
		.values({
			name,
			description: job.report.textOf(row["description"], MAX_DESCRIPTION),
			metadata: objectTextOf(row["metadata"]),
			state: "ready",
			created_at: microsOf(row["created_at"]),
			updated_at: microsOf(row["updated_at"]),
		})
		.returning("id")
		.executeTakeFirstOrThrow();
	const written: WrittenDataset = { id, versions: new Map(), examples: new Map(), splits: new Map() };
	const lifetimes = new Map<number, Lifetime>();
	const phoenixId = Number(row["id"]);
	const ofDataset = { where: "dataset_id = ?", parameters: [phoenixId] };
	let examples = 0;
	for await (const versions of readTable(
		job.source,
		"dataset_versions",
		["description", "metadata", "created_at", "user_id"],
		ofDataset,
	))
		for (const version of versions) {
			const counts = await importVersion(job, transaction, written, lifetimes, version);
			examples += counts.created - counts.deleted;
			await transaction
				.insertInto("dataset_versions")
				.values({
					id: present(written.versions.get(Number(version["id"])), "the row number of a version"),
					dataset_id: id,
					description: job.report.textOf(version["description"], MAX_DESCRIPTION),
					metadata: objectTextOf(version["metadata"]),
					created_examples: counts.created,
					updated_examples: counts.updated,
					deleted_examples: counts.deleted,
					example_count: examples,
					user_id: job.users.get(Number(version["user_id"])) ?? null,
					created_at: microsOf(version["created_at"]),
				})
				.execute();
			job.report.count("dataset versions", 1, 1);
		}
	await importSplits(job, transaction, written, lifetimes, phoenixId, microsOf(row["updated_at"]));
	await importLabels(job, transaction, id, phoenixId);
	await importExperiments(job, transaction, written, phoenixId);
	return true;
}

async function importVersion(
	job: Import,
	transaction: Transaction<Tables>,
	written: WrittenDataset,
	lifetimes: Map<number, Lifetime>,
	row: SourceRow,
): Promise<{ created: number; updated: number; deleted: number }> {
	const { source, storage, report } = job;
	const versionId = await reserveVersion(transaction, written.id);
	written.versions.set(Number(row["id"]), versionId);
	const version: NewVersion = { datasetId: written.id, versionId, now: microsOf(row["created_at"]) };
	const counts = { created: 0, updated: 0, deleted: 0 };
	const externalId =
		source.columns.get("dataset_examples")?.has("external_id") === true ? "dataset_examples.external_id" : "null";
	const batches = readTable(
		source,
		"dataset_example_revisions",
		["dataset_example_id", "input", "output", "metadata", "revision_kind"],
		{
			joins: `join dataset_examples on dataset_examples.id = dataset_example_id
			left join spans on spans.id = dataset_examples.span_rowid left join traces on traces.id = spans.trace_rowid`,
			more: `${externalId} as external_id, spans.span_id as span_id, traces.trace_id as trace_id`,
			where: "dataset_version_id = ?",
			parameters: [Number(row["id"])],
			step: STEP_REVISIONS,
		},
	);
	for await (const rows of batches) {
		const links = await findSpans(job, rows);
		const added: { readonly from: number; readonly example: Parameters<typeof insertExamples>[3][number] }[] = [];
		const changed: Parameters<typeof insertRevisions>[2][number][] = [];
		const ended: number[] = [];
		for (const revision of rows) {
			const from = Number(revision["dataset_example_id"]);
			const here = written.examples.get(from);
			if (revision["revision_kind"] === "DELETE") {
				const lifetime = here === undefined ? undefined : lifetimes.get(here);
				if (here === undefined || lifetime === undefined) continue;
				lifetime.to = versionId;
				ended.push(here);
				continue;
			}
			const content = contentOf(revision);
			if (content === undefined) report.leave("examples of datasets that are too large or nest too deeply");
			else if (here !== undefined) changed.push({ exampleId: here, content });
			else {
				const span = links.get(`${textOf(revision["trace_id"])} ${textOf(revision["span_id"])}`.toLowerCase());
				added.push({ from, example: { externalId: nameOf(revision["external_id"]), span, content } });
			}
		}
		const ids = await insertExamples(
			storage.traces,
			transaction,
			version,
			added.map(({ example }) => example),
		);
		for (const [position, { from }] of added.entries()) {
			const id = present(ids[position], "the row number of an example");
			written.examples.set(from, id);
			lifetimes.set(id, { from: versionId, to: undefined });
		}
		await endRevisions(transaction, version, [...changed.map(({ exampleId }) => exampleId), ...ended], {
			splitsToo: false,
		});
		await insertRevisions(transaction, version, changed);
		counts.created += added.length;
		counts.updated += changed.length;
		counts.deleted += ended.length;
		report.count("dataset examples", added.length, added.length);
	}
	return counts;
}

function contentOf(row: SourceRow) {
	const [input, output, metadata] = ["input", "output", "metadata"].map((column) =>
		objectFromJsonText(objectTextOf(row[column], MAX_CONTENT)),
	);
	try {
		return toContent(input ?? {}, output ?? {}, metadata ?? {}, "an example");
	} catch (error) {
		if (error instanceof UserError) return undefined;
		throw error;
	}
}

async function findSpans({ storage }: Import, rows: readonly SourceRow[]): Promise<Map<string, SpanLink>> {
	const wanted = rows.flatMap((row) => textOf(row["span_id"]) ?? []);
	if (wanted.length === 0) return new Map();
	const spans = (await findTargets(storage.traces, "span", wanted)).map(linkTo);
	return new Map(spans.map((span) => [`${span.traceId} ${span.spanId}`, span]));
}

/** Splits of Phoenix have no versions: an example is in its splits for all of its versions. */
async function importSplits(
	{ source, report }: Import,
	transaction: Transaction<Tables>,
	written: WrittenDataset,
	lifetimes: ReadonlyMap<number, Lifetime>,
	phoenixId: number,
	now: number,
): Promise<void> {
	if (!source.columns.has("dataset_splits_dataset_examples")) return;
	const rows = await source.query(
		`select dataset_example_id, name, description, color from dataset_splits_dataset_examples
		join dataset_splits on dataset_splits.id = dataset_split_id
		join dataset_examples on dataset_examples.id = dataset_example_id
		where dataset_examples.dataset_id = ? order by dataset_splits.id, dataset_example_id`,
		[phoenixId],
	);
	if (rows.length === 0) return;
	const splits = new Map(
		rows.flatMap((row) => {
			const name = report.nameOf(row, "memberships in dataset splits");
			return name === undefined ? [] : [[name, row] as const];
		}),
	);
	await addSplits(transaction, { datasetId: written.id, versionId: 0, now }, written.splits, [...splits.keys()], {
		hidden: false,
	});
	for (const [name, row] of splits)
		await transaction
			.updateTable("dataset_splits")
			.set({ description: report.textOf(row["description"], MAX_DESCRIPTION), color: colorOf(row["color"]) })
			.where("id", "=", present(written.splits.get(name), "the row number of a split"))
			.execute();
	const members = rows.flatMap((row) => {
		const example = written.examples.get(Number(row["dataset_example_id"]));
		const split = written.splits.get(String(row["name"]));
		const lifetime = example === undefined ? undefined : lifetimes.get(example);
		if (example === undefined || split === undefined || lifetime === undefined) return [];
		return [{ pair: [split, example] as const, ...lifetime }];
	});
	for (const [from, some] of Map.groupBy(members, (member) => member.from))
		await addMembers(
			transaction,
			from,
			some.map(({ pair }) => pair),
		);
	for (const [to, some] of Map.groupBy(members, (member) => member.to))
		if (to !== undefined)
			await endMembers(
				transaction,
				to,
				some.map(({ pair }) => pair),
			);
	report.count("dataset splits", splits.size, splits.size);
}

async function importLabels(
	{ source, report }: Import,
	transaction: Transaction<Tables>,
	datasetId: number,
	phoenixId: number,
) {
	if (!source.columns.has("datasets_dataset_labels")) return;
	const rows = await source.query(
		`select name, description, color from datasets_dataset_labels
		join dataset_labels on dataset_labels.id = dataset_label_id where dataset_id = ? order by name`,
		[phoenixId],
	);
	let written = 0;
	for (const row of rows) {
		const name = report.nameOf(row, "labels of datasets");
		if (name === undefined) continue;
		await transaction
			.insertInto("dataset_labels")
			.values({
				name,
				description: report.textOf(row["description"], MAX_DESCRIPTION),
				color: colorOf(row["color"]),
				updated_at: Date.now() * 1_000,
			})
			.onConflict((conflict) => conflict.column("name").doNothing())
			.execute();
		const label = transaction.selectFrom("dataset_labels").select("id").where("name", "=", name);
		const { id } = await label.executeTakeFirstOrThrow();
		const inserted = await transaction
			.insertInto("labels_of_datasets")
			.values({ dataset_id: datasetId, label_id: id })
			.onConflict((conflict) => conflict.doNothing())
			.returning("label_id")
			.execute();
		written += inserted.length;
	}
	report.count("dataset labels", rows.length, written);
}
