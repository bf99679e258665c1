import type { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import { formatTime } from "#http/wire-times.ts";
import type { BuiltInDashboard } from "./built-in/built-in.ts";
import type { DashboardColumns, DashboardRow, DashboardSummaryRow } from "./queries.ts";
import {
	type Dashboard,
	type DashboardContent,
	type DashboardFile,
	type DashboardSummary,
	FILE_VERSION,
} from "./schemas.ts";

type Wire = z.output<typeof Dashboard>;
type WireSummary = z.output<typeof DashboardSummary>;
/** What the column `definition` holds. */
type Definition = Pick<DashboardContent, "range" | "time_zone" | "refresh_seconds" | "filter" | "controls" | "widgets">;

/** @param isAuthOn there are no private ones while it is off */
export function toSummary(row: DashboardSummaryRow, isAuthOn: boolean): WireSummary {
	const { project_id, owner_id, updated_by, updated_by_name } = row;
	return {
		id: encodeGlobalId("Dashboard", row.id),
		name: row.name,
		description: row.description,
		project_id: project_id === null ? null : encodeGlobalId("Project", project_id),
		visibility: isAuthOn ? row.visibility : "shared",
		owner_id: owner_id === null ? null : encodeGlobalId("User", owner_id),
		created_at: formatTime(row.created_at),
		updated_at: formatTime(row.updated_at),
		updated_by:
			updated_by === null || updated_by_name === null
				? null
				: { id: encodeGlobalId("User", updated_by), username: updated_by_name },
		is_built_in: false,
		widget_count: row.widget_count,
	};
}

/** What a row says besides its columns. */
export function definitionOf({ definition }: Pick<DashboardRow, "definition">): Definition {
	return JSON.parse(definition) as Definition;
}

/** @param definition of the row, as far as it is shown */
export function toDashboard(row: DashboardRow, definition: Definition, isAuthOn: boolean): Wire {
	const { widget_count: _count, ...stored } = toSummary(row, isAuthOn);
	return { ...stored, ...toWireDefinition(definition) };
}

function toWireDefinition({ range, time_zone, refresh_seconds, filter, controls, widgets }: Definition) {
	return {
		range,
		time_zone: time_zone ?? null,
		refresh_seconds: refresh_seconds ?? null,
		filter: filter ?? null,
		controls: [...controls],
		widgets: widgets.map((widget) => ({ ...widget, query: widget.query ?? null, text: widget.text ?? null })),
	};
}

/** @param content as it was checked */
export function toColumns(
	{ name, description, visibility, ...content }: DashboardContent,
	projectId: number | null,
): DashboardColumns {
	const { range, time_zone, refresh_seconds, filter, controls, widgets } = content;
	const definition: Definition = { range, time_zone, refresh_seconds, filter, controls, widgets };
	return {
		project_id: projectId,
		name,
		description: description ?? null,
		visibility,
		definition: JSON.stringify(definition),
		widget_count: widgets.length,
	};
}

const BUILT_IN_RANGE = "7d";

/** @param projectId global id; null across projects */
export function builtInSummary(built: BuiltInDashboard, projectId: string | null): WireSummary {
	return {
		id: `builtin:${built.key}`,
		name: built.name,
		description: built.description,
		project_id: projectId,
		visibility: "shared",
		owner_id: null,
		created_at: null,
		updated_at: null,
		updated_by: null,
		is_built_in: true,
		widget_count: built.widgets.length,
	};
}

export function builtInDashboard(built: BuiltInDashboard, projectId: string | null): Wire {
	const { widget_count: _count, ...stored } = builtInSummary(built, projectId);
	const { controls, widgets } = built;
	return { ...stored, ...toWireDefinition({ range: BUILT_IN_RANGE, controls: [...controls], widgets: [...widgets] }) };
}

/** Without ids, owners and times. */
export function toFile(dashboard: Wire): z.output<typeof DashboardFile> {
	const { name, description, range, time_zone, refresh_seconds, filter, controls, widgets, visibility } = dashboard;
	return {
		spanward_dashboard: FILE_VERSION,
		...{ name, description, range, time_zone, refresh_seconds },
		...{ filter, controls, widgets, visibility },
	};
}
