import { isFailing } from "../ledger/failing.ts";
import type { ConnectionRow } from "./stored-definition.ts";

export const CONNECTION_STATES = ["ready", "failing", "unconfirmed", "off"] as const;
export type ConnectionState = (typeof CONNECTION_STATES)[number];

/**
 * @param isAuthOn what was made or changed while authentication was off counts only as long as it is
 * @param nowMicros microseconds since 1970, by the database's clock
 */
export function stateOf(row: ConnectionRow, isAuthOn: boolean, nowMicros: number): ConnectionState {
	if (row.is_enabled === 0) return "off";
	if (isAuthOn && row.is_confirmed === 0) return "unconfirmed";
	return isFailing(row, nowMicros) ? "failing" : "ready";
}
