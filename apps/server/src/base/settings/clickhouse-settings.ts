import type { z } from "zod";
import type { SecretText } from "../secret-text.ts";
import { setting } from "./setting.ts";
import { boolean, choice, integer, secret, text, valueKind } from "./value-kinds.ts";

const database = valueKind("letters, digits and `_`, at most 64", (value, wrong) => {
	if (!/^\w{1,64}$/.test(value)) wrong("must be a name of at most 64 characters, of letters A to Z, digits and _");
	if (/^(system|information_schema)$/i.test(value)) wrong("must not be one of ClickHouse's own");
	return value;
});

const simpleName = valueKind<string | null>("letters, digits, `_` and `-`", (value, wrong) => {
	if (!/^[\w-]+$/.test(value)) wrong("must be a name of letters A to Z, digits, _ and -");
	return value;
});

const clusterName = valueKind<string | null>("letters, digits, `_`, `-` and `.`, at most 128", (value, wrong) => {
	if (!/^[\w.-]{1,128}$/.test(value))
		wrong("must be a name of at most 128 characters, of letters A to Z, digits, _, - and .");
	return value;
});

const quorum = valueKind<"auto" | number>("`auto`, 1 to 8", (value, wrong) => {
	if (value === "auto") return value;
	if (!/^[1-8]$/.test(value)) wrong("must be auto or a whole number from 1 to 8");
	return Number(value);
});

const MAX_COLD_DAYS = 3_650;
const coldAfterDays: z.ZodType<number | null> = integer(1, MAX_COLD_DAYS);

/** Where and how traces are kept in ClickHouse. Without its address they are kept with everything else. */
export const CLICKHOUSE = {
	SERVICE_CLICKHOUSE_URL: setting<SecretText | null>(
		secret,
		null,
		"Address of ClickHouse's HTTP interface, such as https://user:password@clickhouse.example:8443: traces are kept there, and everything else in SQLite or PostgreSQL. Replicas are separated by commas, and the first that answers is used; shards by semicolons, and each span is on one of them. At most 64 addresses. Shards are added at the end of the list.",
		{ secret: true },
	),
	SERVICE_CLICKHOUSE_USER: setting<string | null>(text, null, "ClickHouse user, if the address names none.", {
		defaultText: "`default`",
	}),
	SERVICE_CLICKHOUSE_PASSWORD: setting<SecretText | null>(
		secret,
		null,
		"Password of the ClickHouse user, if the address has none.",
		{ secret: true },
	),
	SERVICE_CLICKHOUSE_DATABASE: setting(
		database,
		"spanward",
		"Database in ClickHouse, for Spanward alone; created if it does not exist and the user has the privilege.",
	),
	SERVICE_CLICKHOUSE_CLUSTER: setting<string | null>(
		clusterName,
		null,
		"Name of the cluster in ClickHouse's configuration (`system.clusters`) whose nodes replicate the tables: they are created on all of them. Leave it out with a replicated database and with ClickHouse Cloud, which do so themselves.",
		{ defaultText: "tables on the node that is asked" },
	),
	SERVICE_CLICKHOUSE_TLS_CA_FILE: setting<string | null>(
		text,
		null,
		"PEM file with the CA certificates for ClickHouse's certificate, which is always checked with https.",
		{ defaultText: "those that Node knows" },
	),
	SERVICE_CLICKHOUSE_TLS_CERT_FILE: setting<string | null>(
		text,
		null,
		"PEM file with the client certificate by which the ClickHouse user logs in, instead of a password.",
	),
	SERVICE_CLICKHOUSE_TLS_KEY_FILE: setting<string | null>(text, null, "PEM file with its key, not encrypted."),
	SERVICE_CLICKHOUSE_INSERT_QUORUM: setting<"auto" | number>(
		quorum,
		"auto",
		"Number of replicas that must have what an export is acknowledged for; with fewer alive, exports are refused until enough are back. `auto` is 2 where a shard has two replicas or more. Without replicated tables it has no effect.",
	),
	SERVICE_CLICKHOUSE_READS: setting(
		choice("preferred", "any"),
		"preferred",
		"Which replicas are read: `preferred` is the one that is written to, which has everything; `any` spreads reading over all, and what was just stored may be missing for a moment, which answers and pages then say.",
	),
	SERVICE_CLICKHOUSE_MAX_REPLICA_DELAY_SECONDS: setting(
		integer(1, 3_600),
		60,
		"A replica that lacks what was stored longer ago than this is not read.",
	),
	SERVICE_CLICKHOUSE_ASYNC_INSERT: setting(
		boolean,
		false,
		"Whether ClickHouse gathers inserts of many servers into larger ones (asynchronous inserts). They are waited for all the same, and whatever the user's profile says.",
	),
	SERVICE_CLICKHOUSE_INSERT_INTERVAL_MS: setting(
		integer(20, 5_000),
		200,
		"Minimum time between two inserts of a process while spans keep arriving, in milliseconds: a longer one makes fewer and larger parts, and senders wait longer for their answers.",
	),
	SERVICE_CLICKHOUSE_INSERT_ROWS: setting(
		integer(512, 250_000),
		20_000,
		"Number of waiting spans that are inserted without waiting for that time.",
	),
	SERVICE_CLICKHOUSE_CONNECTIONS: setting(
		integer(4, 256),
		16,
		"Maximum number of connections of a process to each replica of ClickHouse, for reading and writing.",
	),
	SERVICE_CLICKHOUSE_QUERY_MEMORY_MIB: setting(
		integer(128, 65_536),
		1_024,
		"Maximum memory that a statement may use in ClickHouse, in MiB.",
	),
	SERVICE_CLICKHOUSE_STORAGE_POLICY: setting<string | null>(
		simpleName,
		null,
		"Storage policy of the tables, which ClickHouse must have already; applies when they are created.",
		{ defaultText: "that of ClickHouse" },
	),
	SERVICE_CLICKHOUSE_COLD_VOLUME: setting<string | null>(
		simpleName,
		null,
		"Volume of the storage policy, such as one on S3, to which old days of traces move. Nothing is deleted by that.",
		{ defaultText: "they stay" },
	),
	SERVICE_CLICKHOUSE_COLD_AFTER_DAYS: setting<number | null>(
		coldAfterDays,
		null,
		"Number of days after which traces move to that volume, counted from the start of the spans.",
	),
};
