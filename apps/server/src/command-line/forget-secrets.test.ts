import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { SecretBox } from "#access/auth/secret-box.ts";
import { deriveSigningKeys } from "#access/auth/signing-keys.ts";
import { acceptSecret } from "#access/secrets/canary.ts";
import { listSecrets, upsertSecret } from "#access/secrets/queries.ts";
import { readConfig } from "#base/config.ts";
import { toDefinition } from "#base/model-connections/definition.ts";
import { postgresSettings } from "#base/settings/postgres.ts";
import { changeCredentials } from "#models/connections/credentials.ts";
import { insertConnection } from "#models/connections/queries.ts";
import { openStorage } from "#storage/open-storage.ts";
import { createTestSchema, testWithPostgres } from "#storage/postgres/test-postgres.ts";
import { forgetSecretsCommand } from "./forget-secrets.ts";

const SECRET = "lost-secret-0123456789-abcdefghijklmnop";
const OTHER_SECRET = "next-secret-0123456789-abcdefghijklmnop";

testWithPostgres(
	"forget-secrets accepts the new secret for a PostgreSQL database, unless none was used there",
	async () => {
		await using cleanUp = new AsyncDisposableStack();
		const folder = await mkdtemp(join(tmpdir(), "spanward-forget-"));
		cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
		const schema = cleanUp.use(await createTestSchema());
		const environment = (secret: string) => ({
			SERVICE_SECRET: secret,
			SERVICE_WORKING_DIR: folder,
			SERVICE_SQL_DATABASE_URL: schema.url,
			SERVICE_SQL_DATABASE_SCHEMA: schema.schema,
		});
		const forget = () => forgetSecretsCommand(["--yes"], environment(OTHER_SECRET));
		await expect(forget()).rejects.toThrow("never used");

		const config = readConfig(environment(SECRET));
		const { db } = cleanUp.use(await openStorage(config, postgresSettings(config)));
		const startWith = (secret: string) => {
			const keys = deriveSigningKeys({ ...readConfig(environment(secret)) });
			if (keys === undefined) throw new Error("there is a secret");
			const box = new SecretBox(keys);
			return acceptSecret(db, keys, box).then(() => box);
		};
		const sealed = (await startWith(SECRET)).seal("LOST", "x");
		await db.write((transaction) => upsertSecret(transaction, { key: "LOST", sealed, author: null, now: 1 }));
		const connections = () => db.read.selectFrom("model_connections").select("name").execute();
		const credentials = () => db.read.selectFrom("model_credentials").select("field").execute();
		const before = await startWith(SECRET);
		await db.write(async (transaction) => {
			const made = { origin: "api", isConfirmed: true, userId: null, now: 1 } as const;
			const { id } = await insertConnection(transaction, toDefinition({ name: "main", kind: "openai" }), made);
			await changeCredentials(transaction, before, id, new Map([["api_key", { value: "x" }]]), 1);
		});
		await expect(startWith(OTHER_SECRET)).rejects.toThrow("SERVICE_SECRET");
		await forget();
		expect(await listSecrets(db.read)).toEqual([]);
		expect([await connections(), await credentials()]).toEqual([[{ name: "main" }], []]);
		await startWith(OTHER_SECRET);
		await expect(startWith(SECRET)).rejects.toThrow("SERVICE_SECRET");
	},
);
