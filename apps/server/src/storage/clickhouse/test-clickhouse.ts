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
	const { url, cluster } = JSON.parse(text) as { url: string; cluster?: string };
	const database = `spanward_test_${randomBytes(6).toString("hex")}`;
	return {
		url,
		database,
		settings: {
			...(cluster === undefined ? {} : { SERVICE_CLICKHOUSE_CLUSTER: cluster }),
			SERVICE_CLICKHOUSE_URL: url,
			SERVICE_CLICKHOUSE_DATABASE: database,
		},
		async [Symbol.asyncDispose]() {
			const { username, password } = new URL(url);
			const headers = {
				"x-clickhouse-user": decodeURIComponent(username) || "default",
				"x-clickhouse-key": decodeURIComponent(password),
			};
			const onCluster = cluster === undefined ? "" : ` on cluster \`${cluster}\` sync`;
			const dropped = await fetch(Object.assign(new URL(url), { username: "", password: "" }), {
				...{ method: "POST", headers, body: `drop database if exists ${database}${onCluster}` },
			});
			if (!dropped.ok) throw new Error(await dropped.text());
		},
	};
}
