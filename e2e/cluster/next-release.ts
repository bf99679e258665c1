import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { SCHEMA_VERSION } from "../../apps/server/src/storage/postgres/migrations.ts";

const ROOT = join(import.meta.dirname, "../..");
const MIGRATIONS = "apps/server/src/storage/postgres/migrations.ts";

/** What a release may do to the schema while servers of the one before go on: it only grows, in every table. */
const GROW = `
async function grow(client: ClientBase): Promise<void> {
	const { rows } = await client.query(
		\`select quote_ident(relname) as name from pg_class
		where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
			and relname <> 'schema_version' order by relname\`,
	);
	for (const { name } of rows) await client.query(\`alter table \${name} add column grown text not null default 'grown'\`);
	await client.query("create index spans_by_grown on spans (project_id, grown, id)");
	await client.query("create table grown (id bigint primary key, span_id bigint not null)");
}
`;

export interface Release extends AsyncDisposable {
	/** Its `main.ts`. */
	readonly program: string;
	/** Of the schema that it works with. */
	readonly version: number;
}

/** A copy of the server's source whose list of migrations goes on by one. */
export async function makeNextRelease(): Promise<Release> {
	const folder = await mkdtemp(join(tmpdir(), "spanward-next-release-"));
	await using cleanup = new AsyncDisposableStack();
	cleanup.defer(() => rm(folder, { recursive: true, force: true }));
	await cp(join(ROOT, "apps/server"), join(folder, "apps/server"), {
		recursive: true,
		filter: (path) => !/\/node_modules$|\.test\.ts$/.test(path),
	});
	for (const path of ["node_modules", "package.json", "apps/web"]) {
		await mkdir(dirname(join(folder, path)), { recursive: true });
		await symlink(join(ROOT, path), join(folder, path));
	}
	const version = SCHEMA_VERSION + 1;
	const before = await readFile(join(folder, MIGRATIONS), "utf8");
	const after = before.replace(/ = new Map\(\[(.*?),?\s*\]\);/s, ` = new Map([$1, [${version}, grow]]);`);
	if (after === before) throw new Error(`${MIGRATIONS} has no list of migrations to go on with`);
	await writeFile(join(folder, MIGRATIONS), after + GROW);
	const release = cleanup.move();
	return {
		program: join(folder, "apps/server/src/main.ts"),
		version,
		[Symbol.asyncDispose]: () => release.disposeAsync(),
	};
}
