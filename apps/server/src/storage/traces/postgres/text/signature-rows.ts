import type { ClientBase } from "pg";
import { type CopyTarget, copyRows } from "../write/copy-rows.ts";

/** A signature counts only if it has all texts of its block, log records included. */
export interface BlockSignature {
	readonly blockId: number;
	readonly month: number;
	readonly signature: Uint8Array;
}

const SIGNATURES: CopyTarget = {
	table: "block_text_signatures",
	columns: [
		["month", "bigint"],
		["size", "integer"],
		["block_id", "bigint"],
		["signature", "bytea"],
	],
};

export async function insertSignatures(client: ClientBase, signatures: readonly BlockSignature[]): Promise<void> {
	await copyRows(
		client,
		SIGNATURES,
		signatures.map(({ blockId, month, signature }) => [month, signature.length, blockId, signature]),
	);
}
