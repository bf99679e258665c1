import { UserError } from "#base/errors.ts";
import { decodeGlobalId } from "#http/global-ids.ts";

/** Built-in ones are listed first and have no row. */
interface Listed {
	readonly id: string;
	readonly is_built_in: boolean;
}

/**
 * A page of a list that was read as a whole, the newest first behind the built-in ones.
 * @param cursor the id of the first item of the page, which may be gone by now
 * @throws UserError 422 for a cursor of another list
 */
export function pageOfDashboards<Item extends Listed>(
	items: readonly Item[],
	{ cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
): { data: Item[]; next_cursor: string | null } {
	const begin = cursor === undefined || cursor === "" ? 0 : positionOf(items, cursor);
	return { data: items.slice(begin, begin + limit), next_cursor: items[begin + limit]?.id ?? null };
}

function positionOf(items: readonly Listed[], cursor: string): number {
	const exact = items.findIndex(({ id }) => id === cursor);
	if (exact !== -1) return exact;
	const row = decodeGlobalId(cursor, "Dashboard");
	if (row === undefined) throw new UserError(422, "invalid_cursor", "Invalid cursor");
	const older = items.findIndex(({ id, is_built_in }) => !is_built_in && (decodeGlobalId(id, "Dashboard") ?? 0) < row);
	return older === -1 ? items.length : older;
}
