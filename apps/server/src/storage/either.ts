import { type OperationNode, type RawBuilder, sql } from "kysely";

/** SQL that differs between the databases; each query compiler uses its own part. */
export function either<T>(by: { readonly sqlite: RawBuilder<T>; readonly postgres: RawBuilder<T> }): RawBuilder<T> {
	const node = { ...by.sqlite.toOperationNode(), postgres: by.postgres.toOperationNode() };
	return sql<T>`${{ toOperationNode: (): OperationNode => node }}`;
}

/** PostgreSQL's part of a node that {@link either} made. */
export function postgresPart<Node extends OperationNode>(node: Node & { readonly postgres?: Node }): Node {
	return node.postgres ?? node;
}
