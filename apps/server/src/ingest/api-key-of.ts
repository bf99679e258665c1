import { isKey, type Principal } from "#http/principal.ts";
import type { ExportRequest } from "./ingest.ts";

/** The key that an export came with, if it came with one. */
export function apiKeyOf(principal: Principal): Pick<ExportRequest, "apiKeyId"> {
	return isKey(principal) ? { apiKeyId: principal.keyId } : {};
}
