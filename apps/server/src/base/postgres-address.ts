/** How a connection is encrypted. Texts are PEM. */
export interface PostgresTls {
	/**
	 * `name`: the certificate must be valid and name the host; `authority`: it must be valid; `nothing`: any will do.
	 */
	readonly verifies: "name" | "authority" | "nothing";
	/** Certificate authorities in place of those that Node knows. */
	readonly ca?: string;
	/** The client certificate. */
	readonly cert?: string;
	readonly key?: string;
}

/** One PostgreSQL server and how to log in there. Plain data: it is sent to the ingest workers. */
export interface PostgresAddress {
	readonly host: string;
	readonly port: number;
	readonly user: string;
	readonly password: string | undefined;
	/** A command that prints the password, used in its place. */
	readonly passwordCommand?: string;
	readonly database: string;
	readonly tls: false | PostgresTls;
	/** What precedes a connection's purpose in `pg_stat_activity`; `spanward` when absent. */
	readonly applicationName?: string;
}

/** How this process uses a PostgreSQL database. */
export interface PostgresSettings {
	readonly primary: PostgresAddress;
	/** Where traces are read from; the primary when absent. Everything that decides about access is read from the primary. */
	readonly replica?: PostgresAddress;
	readonly schema: string;
	/** Most connections for reading, and of metadata writes; ingest workers have one each. */
	readonly poolSize: number;
	readonly connectTimeoutMs: number;
	readonly statementTimeoutMs: number;
	/** Whether a commit waits for the disk; without it a crash of the database loses the last moments. */
	readonly durability: "full" | "relaxed";
	readonly textIndex: boolean;
}
