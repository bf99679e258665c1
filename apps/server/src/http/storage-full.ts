import { UserError } from "#base/errors.ts";
import { STORAGE_FULL } from "./error-wire.ts";

/** @throws UserError 507 while the storage is full, for what would store something */
export function assertRoom(capacity: { readonly isBlocked: boolean }): void {
	if (capacity.isBlocked) throw new UserError(507, "storage_full", STORAGE_FULL);
}
