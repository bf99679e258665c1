import type { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import type { Principal } from "#http/principal.ts";
import { formatTime } from "#http/wire-times.ts";
import type { ViewRow } from "./queries.ts";
import type { View, ViewState } from "./schemas.ts";

/** The wire form of a view, as the principal sees it: while authentication is off, all are shared. */
export function toView(row: ViewRow, principal: Principal): z.output<typeof View> {
	return {
		id: encodeGlobalId("View", row.id),
		name: row.name,
		page: row.page,
		project_id: row.project_id === null ? null : encodeGlobalId("Project", row.project_id),
		state: JSON.parse(row.state) as ViewState,
		visibility: row.private_to === null || principal.kind === "anonymous" ? "shared" : "private",
		owner_id: row.owner_id === null ? null : encodeGlobalId("User", row.owner_id),
		created_at: formatTime(row.created_at),
		updated_at: formatTime(row.updated_at),
	};
}
