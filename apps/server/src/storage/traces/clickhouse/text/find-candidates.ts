import { types } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { hashesOfWord } from "#storage/traces/text/text-signature.ts";
import { Conditions } from "../read/conditions.ts";
import { type Ends, joinRanges } from "../read/join-ranges.ts";
import type { Window } from "../read/walk.ts";
import { DAY_MICROS, SIGNATURES } from "../tables.ts";
import { NO_PROJECT } from "./progress.ts";

/** Where content is that may have all words of a search. */
export interface TextCandidates {
	/** Starts in microseconds, both ends included: of content in the index. */
	readonly starts: readonly Ends[];
	/** Content with a higher version is not in the index, on one shard at least. */
	readonly until: number;
}

export interface WordsSearched {
	readonly projectId: number;
	/** In lower case. */
	readonly words: readonly string[];
	/** The row numbers or starts of the spans concerned; all when absent. */
	readonly spans: (Window & { readonly column: "id" | "start_micros" }) | undefined;
}

/** Bits of a signature that are looked at: of runs without the words, one in thousands has all of them, or fewer. */
const MOST_BITS = 12;
/** Ranges of a statement; those that are closest to each other are joined. */
const MOST_RANGES = 64;

/** Whether signatures tell anything of a word. */
export function isSigned(word: string): boolean {
	return hashesOfWord(word).length > 0;
}

/**
 * Asks the text index.
 * @param shards how many there are
 * @returns undefined when it knows nothing of the words, or is not there on all shards
 */
export async function findCandidates(
	shard: ShardReader,
	shards: number,
	{ projectId, words, spans }: WordsSearched,
): Promise<TextCandidates | undefined> {
	const hashes = hashesOf(words);
	if (hashes.length === 0) return undefined;
	const where = new Conditions().addEqual("project_id", "Int64", projectId);
	if (spans?.column === "id") {
		where.add(`first_id < ${where.bind("Int64", spans.to)} and last_id >= ${where.bind("Int64", spans.from)}`);
	} else if (spans !== undefined) {
		where.add(`from_micros < ${where.bind("Int64", spans.to)} and to_micros >= ${where.bind("Int64", spans.from)}`);
		// Runs end with their day.
		where.add(`from_micros >= ${where.bind("Int64", Math.floor(spans.from / DAY_MICROS) * DAY_MICROS)}`);
	}
	for (const hash of hashes) where.add(hasBitSql(where.bind("UInt32", hash >>> 0)));
	// Of one statement, as what it says of progress holds for the signatures that it sees. Rows that others have replaced
	// only make it say more.
	const rows = await shard.select(
		`select project_id, from_micros, to_micros, number, toInt64(version) as version from ${SIGNATURES.name}
		where (${where.sql}) or project_id = ${NO_PROJECT}`,
		COLUMNS,
		{ params: where.params, settings: { final: 0 } },
	);
	const progress = new Map<number, number>();
	const found: Ends[] = [];
	for (const { project_id, from_micros, to_micros, number, version } of rows)
		if (project_id === NO_PROJECT) progress.set(number, Math.max(progress.get(number) ?? 0, version));
		else found.push([from_micros, to_micros]);
	if (progress.size < shards) return undefined;
	return { starts: joinRanges(found, MOST_RANGES), until: Math.min(...progress.values()) };
}

const { project_id, from_micros, to_micros, number } = SIGNATURES.columns;
const COLUMNS = { project_id, from_micros, to_micros, number, version: types.Integer } as const;

/** As many of each word. */
function hashesOf(words: readonly string[]): number[] {
	const ofWords = words.map(hashesOfWord).filter((hashes) => hashes.length > 0);
	const each = Math.max(1, Math.floor(MOST_BITS / Math.max(1, ofWords.length)));
	return [...new Set(ofWords.flatMap((hashes) => hashes.slice(0, each)))].slice(0, MOST_BITS);
}

/** As `bitOf` and `hasBit`: signatures have several sizes, powers of two. */
function hasBitSql(hash: string): string {
	const bit = `intDiv(${hash} * toUInt64(length(signature)), 536870912)`;
	return `bitTest(reinterpretAsUInt8(substring(signature, intDiv(${bit}, 8) + 1, 1)), ${bit} % 8)`;
}
