import type { ClientBase } from "pg";
import type { Steps } from "#access/sign-in/steps.ts";
import { countUnindexedBlocks, readPartitions } from "#storage/traces/postgres/kept-up.ts";
import { mebibytes } from "./disk.ts";

/** A running server indexes this many blocks within minutes. */
const MANY_WAITING = 10_000;

/** Checks what a running server maintains: partitions, text index, statistics. */
export async function checkTables(client: ClientBase, hasTextIndex: boolean, steps: Steps): Promise<void> {
	await checkPartitions(client, steps);
	await checkDistribution(client, steps);
	// If the setting is off, all blocks wait for the text index.
	if (hasTextIndex) await checkTextIndex(client, steps);
	await noteSize(client, steps);
}

async function checkPartitions(client: ClientBase, steps: Steps): Promise<void> {
	const { count, hasNow, hasNextWeek } = await readPartitions(client);
	const facts = [{ name: "Partitions of spans", value: String(count) }];
	if (hasNow && hasNextWeek) steps.ok("schema", "There are partitions for now and the next week.", { facts });
	else
		steps.warn(
			"schema",
			`Partitions for ${hasNow ? "the next week" : "spans of now"} are missing: a running server creates them daily; until then, spans go into the default partition.`,
			{ facts },
		);
}

/** Citus lists the tables that it distributes: https://docs.citusdata.com/en/stable/develop/api_metadata.html */
async function checkDistribution(client: ClientBase, steps: Steps): Promise<void> {
	const { rows: catalogs } = await client.query("select to_regclass('pg_dist_partition') is not null as exists");
	if (catalogs[0].exists !== true) return;
	const { rows } = await client.query(
		`select distinct relname as name from pg_dist_partition join pg_class on pg_class.oid = logicalrelid
		where relnamespace = (select relnamespace from pg_class where oid = to_regclass('schema_version'))
			and not relispartition order by name`,
	);
	if (rows.length === 0) return;
	steps.fail(
		"schema",
		"Tables are distributed by Citus, which is not supported: deleting and annotating fail. Undistribute them there.",
		{ facts: rows.map(({ name }) => ({ name: "Run there", value: `select undistribute_table('${name}')` })) },
	);
}

async function checkTextIndex(client: ClientBase, steps: Steps): Promise<void> {
	const waiting = await countUnindexedBlocks(client, MANY_WAITING + 1);
	const facts = [{ name: "Blocks", value: waiting > MANY_WAITING ? `more than ${MANY_WAITING}` : String(waiting) }];
	if (waiting > MANY_WAITING)
		steps.warn("schema", "Many blocks wait for the text index: searches read them directly, which takes longer.", {
			settings: ["SERVICE_ENABLE_TEXT_INDEX"],
			facts,
		});
	else steps.ok("schema", "The text index is up to date, or nearly.", { facts });
}

async function noteSize(client: ClientBase, steps: Steps): Promise<void> {
	const { rows } = await client.query(
		`select coalesce(sum(pg_total_relation_size(c.oid)), 0) as bytes from pg_class c
		where c.relnamespace = (select relnamespace from pg_class where oid = to_regclass('schema_version'))
			and c.relkind in ('r', 'm')`,
	);
	steps.ok("schema", `The tables take ${mebibytes(Number(rows[0].bytes))}.`);
}
