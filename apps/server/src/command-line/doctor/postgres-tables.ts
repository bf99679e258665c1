import type { ClientBase } from "pg";
import type { Steps } from "#access/sign-in/steps.ts";
import { mebibytes } from "./disk.ts";

/** So many blocks are indexed within some minutes. */
const MANY_WAITING = 10_000;

/** Whether what a running server keeps up is kept up: partitions, text index, statistics. */
export async function checkTables(client: ClientBase, hasTextIndex: boolean, steps: Steps): Promise<void> {
	await checkPartitions(client, steps);
	// Without it all blocks wait.
	if (hasTextIndex) await checkTextIndex(client, steps);
	await noteSize(client, steps);
}

async function checkPartitions(client: ClientBase, steps: Steps): Promise<void> {
	const { rows } = await client.query(
		`select count(*)::int as partitions,
			count(*) filter (where bounds ~ 'FROM' and now_micros >= lower and now_micros < upper)::int as now,
			count(*) filter (where bounds ~ 'FROM' and next_micros >= lower and next_micros < upper)::int as next
		from (
			select pg_get_expr(c.relpartbound, c.oid) as bounds,
				nullif(substring(pg_get_expr(c.relpartbound, c.oid) from $$FROM \\('?(-?[0-9]+)$$), '')::bigint as lower,
				nullif(substring(pg_get_expr(c.relpartbound, c.oid) from $$TO \\('?(-?[0-9]+)$$), '')::bigint as upper,
				(extract(epoch from now()) * 1000000)::bigint as now_micros,
				(extract(epoch from date_trunc('month', now() at time zone 'UTC') + interval '1 month') * 1000000)::bigint
					as next_micros
			from pg_inherits join pg_class c on c.oid = inhrelid
			where inhparent = to_regclass('spans')
		) as listed`,
	);
	const { partitions, now, next } = rows[0];
	const facts = [{ name: "Partitions of spans", value: String(partitions) }];
	if (now > 0 && next > 0) steps.ok("schema", "The partitions of this month and the next exist.", { facts });
	else
		steps.warn(
			"schema",
			`The partitions of ${now > 0 ? "the next month" : "this month"} are missing: a running server creates them daily; until then, spans go into the default partition.`,
			{ facts },
		);
}

async function checkTextIndex(client: ClientBase, steps: Steps): Promise<void> {
	const { rows } = await client.query(
		`select count(*)::int as waiting from (select from block_text_waiting limit ${MANY_WAITING + 1}) as waiting`,
	);
	const waiting = Number(rows[0].waiting);
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
