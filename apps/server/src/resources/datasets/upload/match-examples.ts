import type { Kysely, Transaction } from "kysely";
import { UserError } from "#base/errors.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import type { Tables } from "#storage/schema.ts";
import { cut } from "../cut-text.ts";
import type { NewVersion } from "../version-writer.ts";
import { duplicateExampleId } from "./json-upload.ts";
import { findByContent, findOldExamples, type OldExample } from "./queries.ts";
import { RowSet } from "./row-set.ts";
import type { UploadedRow } from "./uploaded-rows.ts";

/** The most old examples that one query for equal contents returns. */
const CANDIDATES = 32;

/** The old example that a row stands for. */
export interface Match {
	readonly id: number;
	/** Hash of its content; null when the example is deleted. */
	readonly hash: string | null;
}

/** What the rows of one transaction matched. Noted only after the commit, as a transaction may be run again. */
export interface Taken {
	/** Examples that were written or found unchanged. */
	readonly touched: Set<number>;
	/** The row number above which to continue looking for old examples with the same content, by hash. */
	readonly after: Map<string, number>;
}

/** Matches the rows of an upload with old examples: by their ids, else by equal contents. */
export class ExampleMatcher {
	readonly #version: NewVersion;
	readonly #hasOld: boolean;
	/** Old examples that rows name by id: rows with equal contents do not match them. */
	readonly #named = new RowSet();
	readonly #touched = new RowSet();
	readonly #after = new Map<string, number>();

	/**
	 * @param version that the upload makes
	 * @param hasOld whether the dataset was there before the upload
	 */
	constructor(version: NewVersion, hasOld: boolean) {
		this.#version = version;
		this.#hasOld = hasOld;
	}

	/** Has to be called with all rows before any is matched. @throws UserError 422 for an id without an example */
	async noteNamed(db: Kysely<Tables>, rows: readonly UploadedRow[]): Promise<void> {
		for (const { id } of (await this.#findNamed(db, rows)).values()) this.#named.add(id);
	}

	/** Notes what a committed transaction matched. */
	note({ touched, after }: Taken): void {
		for (const id of touched) this.#touched.add(id);
		for (const [hash, id] of after) this.#after.set(hash, id);
	}

	/** Whether a row matched the example, or created it. */
	wasTouched(id: number): boolean {
		return this.#touched.has(id);
	}

	/**
	 * The old example of each row; undefined for new ones.
	 * @param taken collects the matches
	 * @throws UserError 422 for an id that several rows have, or that no example has
	 */
	async match(
		transaction: Transaction<Tables>,
		rows: readonly UploadedRow[],
		taken: Taken,
	): Promise<Map<UploadedRow, Match | undefined>> {
		const matches = new Map<UploadedRow, Match | undefined>();
		const named = await this.#findNamed(transaction, rows);
		const newIds = new Set<string>();
		for (const row of rows) {
			const { exampleId } = row;
			if (exampleId === undefined) continue;
			const match = named.get(exampleId);
			if (newIds.has(exampleId) || (match !== undefined && this.#isTaken(match.id, taken))) {
				throw duplicateExampleId(exampleId);
			}
			newIds.add(exampleId);
			if (match !== undefined) taken.touched.add(match.id);
			matches.set(row, match);
		}
		const unnamed = rows.filter(({ exampleId }) => exampleId === undefined);
		for (const row of unnamed) matches.set(row, undefined);
		if (this.#hasOld) await this.#matchByContent(transaction, unnamed, matches, taken);
		return matches;
	}

	#isTaken(id: number, { touched }: Taken): boolean {
		return touched.has(id) || this.#touched.has(id);
	}

	/** Old examples by the ids that rows have. */
	async #findNamed(db: Kysely<Tables>, rows: readonly UploadedRow[]): Promise<Map<string, Match>> {
		const texts = rows.flatMap(({ exampleId }) => exampleId ?? []);
		const found = new Map<string, Match>();
		if (texts.length === 0) return found;
		const { datasetId } = this.#version;
		const numbers = new Map(texts.map((text) => [text, decodeGlobalId(text, "DatasetExample")]));
		const old = await findOldExamples(db, datasetId, {
			ids: texts.flatMap((text) => numbers.get(text) ?? []),
			externalIds: texts.filter((text) => numbers.get(text) === undefined),
		});
		for (const row of old.byExternalId) if (row.external_id !== null) found.set(row.external_id, toMatch(row));
		const byId = new Map(old.byId.map((row) => [row.id, row]));
		const unknown: string[] = [];
		for (const [text, number] of numbers) {
			if (number === undefined) continue;
			const row = byId.get(number);
			if (row === undefined) unknown.push(text);
			else found.set(text, toMatch(row));
		}
		if (unknown.length === 0) return found;
		throw new UserError(
			422,
			"example_not_found",
			`No examples found in this dataset with the following IDs: ${unknown
				.slice(0, 20)
				.map((text) => `'${cut(text)}'`)
				.join(", ")}`,
		);
	}

	/** Gives each row the first old example with the same content that no other row has matched. */
	async #matchByContent(
		transaction: Transaction<Tables>,
		rows: readonly UploadedRow[],
		matches: Map<UploadedRow, Match | undefined>,
		taken: Taken,
	): Promise<void> {
		let open = Map.groupBy(rows, ({ content }) => content.hash);
		while (open.size > 0) {
			const rest = new Map<string, UploadedRow[]>();
			for (const { hash, candidates } of await this.#findCandidates(transaction, [...open.keys()], taken)) {
				const waiting = open.get(hash) ?? [];
				for (const id of candidates) {
					const row = waiting[0];
					if (row === undefined) break;
					if (candidates.length > 1) taken.after.set(hash, id);
					if (this.#named.has(id) || this.#isTaken(id, taken)) continue;
					taken.touched.add(id);
					matches.set(row, { id, hash });
					waiting.shift();
				}
				if (waiting.length > 0 && candidates.length === CANDIDATES) rest.set(hash, waiting);
			}
			open = rest;
		}
	}

	async #findCandidates(
		transaction: Transaction<Tables>,
		hashes: readonly string[],
		{ after }: Taken,
	): Promise<{ hash: string; candidates: number[] }[]> {
		const wanted = hashes.map((hash) => [hash, after.get(hash) ?? this.#after.get(hash) ?? 0] as const);
		return await findByContent(transaction, this.#version, wanted, CANDIDATES);
	}
}

function toMatch({ id, content_hash }: Pick<OldExample, "id" | "content_hash">): Match {
	return { id, hash: content_hash === null ? null : Buffer.from(content_hash).toString("hex") };
}
