import type { ClientBase } from "pg";
import type { PostgresSettings } from "#base/postgres-address.ts";
import { PostgresOpenError, readOnlyServer, serverName } from "./open-errors.ts";

const LEAST_VERSION = 140_000;

/** A schema that has one of these tables, but not our version table, belongs to another program. */
const OUR_TABLES = ["users", "projects", "traces", "spans", "annotations", "datasets", "prompts", "leases"];

/** What the server at the other end of a connection is. */
export interface ServerFacts {
	/** For example 150018. */
	readonly version: number;
	/** For example 15.18. */
	readonly versionText: string;
	readonly isStandby: boolean;
	/** Whether a connection pooler such as PgBouncer is between this server and PostgreSQL. */
	readonly isPooled: boolean;
	/** Whether the settings that a connection starts with take effect. */
	readonly takesOptions: boolean;
	/** Whose tables are in the schema, judged by the name of the version table and the version in it. */
	readonly tables: "none" | "ours" | "of_another";
	/** Some tables that are not ours, when another program uses the schema. */
	readonly otherTables: readonly string[];
}

export async function readServerFacts(client: ClientBase, { schema }: PostgresSettings): Promise<ServerFacts> {
	const { rows } = await client.query(
		`select current_setting('server_version_num')::int as version, current_setting('server_version') as version_text,
			pg_is_in_recovery() as standby, pg_backend_pid() as pid, current_setting('search_path') as search_path`,
	);
	const row = rows[0];
	const tables = await client.query(
		`select c.relname as name, (
			select count(*)::int from pg_attribute a
			where a.attrelid = c.oid and a.attname in ('version', 'applied_at')
		) as known from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'm')
		order by c.relname`,
		[schema],
	);
	const names = tables.rows.map(({ name }) => String(name));
	const isOurs = tables.rows.some(({ name, known }) => name === "schema_version" && known === 2);
	const taken = names.some((name) => OUR_TABLES.includes(name) || name === "schema_version");
	const { processID } = client as unknown as { readonly processID: number | null };
	return {
		version: Number(row.version),
		versionText: String(row.version_text),
		isStandby: row.standby === true,
		// A pooler reports cancellation ids of its own. https://www.pgbouncer.org/features.html
		isPooled: processID !== null && Number(row.pid) !== processID,
		takesOptions: String(row.search_path).replaceAll('"', "") === schema,
		tables: isOurs ? "ours" : taken ? "of_another" : "none",
		otherTables: isOurs ? [] : names.slice(0, 5),
	};
}

/**
 * Whether Spanward can work on this server.
 * @throws PostgresOpenError when it cannot, before anything is changed
 */
export async function checkServer(
	client: ClientBase,
	settings: PostgresSettings,
	tell: (sentence: string) => void,
): Promise<void> {
	const facts = await readServerFacts(client, settings);
	assertReadable(facts, settings);
	const server = serverName(settings.primary);
	if (facts.isStandby) {
		const { text, settings: change } = readOnlyServer(settings.primary);
		throw new PostgresOpenError(text, change, { mayPass: true });
	}
	if (facts.isPooled)
		tell(
			`a connection pooler stands before PostgreSQL at ${server}: in another mode than session news from other servers come late, and settings of connections get mixed up`,
		);
}

/**
 * Whether Spanward can read its tables on this server, which may be a standby.
 * @throws PostgresOpenError when it cannot
 */
export function assertReadable(facts: ServerFacts, settings: PostgresSettings): void {
	const server = serverName(settings.primary);
	if (facts.version < LEAST_VERSION)
		throw new PostgresOpenError(
			`PostgreSQL at ${server} is version ${facts.versionText}: version 14 is the oldest that can be used`,
			["SERVICE_SQL_DATABASE_URL"],
		);
	if (!facts.takesOptions)
		throw new PostgresOpenError(
			`what answers at ${server} drops the settings of a connection, as a connection pooler may: SERVICE_SQL_DATABASE_URL or SERVICE_POSTGRES_HOST has to lead to PostgreSQL itself`,
			["SERVICE_SQL_DATABASE_URL", "SERVICE_POSTGRES_HOST"],
		);
	if (facts.tables === "of_another")
		throw new PostgresOpenError(
			`the schema ${JSON.stringify(settings.schema)} holds tables of another program (${facts.otherTables.join(", ")}): SERVICE_SQL_DATABASE_SCHEMA has to name one for Spanward alone, which is made when it is not there`,
			["SERVICE_SQL_DATABASE_SCHEMA"],
		);
}
