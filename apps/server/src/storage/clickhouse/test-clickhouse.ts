import { randomBytes } from "node:crypto";
import { inject } from "vitest";

/** A new database in the ClickHouse of the test run. */
export interface TestDatabase extends AsyncDisposable {
	readonly url: string;
	readonly database: string;
	/** For `readConfig`. */
	readonly settings: Readonly<Record<string, string>>;
}

/** The server makes the database; disposing drops it. */
export async function createTestDatabase(): Promise<TestDatabase> {
	const response = await fetch(`http://127.0.0.1:${inject("sharedPeersPort" as never)}/clickhouse`);
	const text = await response.text();
	if (!response.ok) throw new Error(text);
	const { url } = JSON.parse(text) as { url: string };
	const database = `test_${randomBytes(6).toString("hex")}`;
	return {
		url,
		database,
		settings: { SERVICE_CLICKHOUSE_URL: url, SERVICE_CLICKHOUSE_DATABASE: database },
		async [Symbol.asyncDispose]() {
			const dropped = await fetch(url, { method: "POST", body: `drop database if exists ${database}` });
			if (!dropped.ok) throw new Error(await dropped.text());
		},
	};
}
