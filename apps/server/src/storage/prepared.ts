import type { CompiledQuery, Kysely, KyselyPlugin, RootOperationNode } from "kysely";
import type { Tables } from "./schema.ts";

const marked = new WeakSet<RootOperationNode>();
const MARK: KyselyPlugin = {
	transformQuery({ node }) {
		marked.add(node);
		return node;
	},
	transformResult: async ({ result }) => result,
};

/**
 * The same database or transaction, for statements that run often and have few texts: PostgreSQL plans each text once for
 * each connection, instead of each time. Not for conditions on traces, whose best plan depends on the values. SQLite keeps
 * compiled statements anyway.
 */
export function prepared<Db extends Kysely<Tables>>(db: Db): Db {
	return db.withPlugin(MARK) as Db;
}

export function isPrepared({ query }: CompiledQuery): boolean {
	return marked.has(query);
}
