import { localSetting } from "../../lib/local-setting.ts";

export type View = "traces" | "spans";

export const chosenColumns = { traces: localSetting("columns.traces"), spans: localSetting("columns.spans") };

/** Whether a layout of the columns, or the standard one, shows what spans are asked for their messages for. */
export function showsContent(layout: string | undefined): boolean {
	return layout === undefined || /(?:^|,)(?:input|output)\b/.test(layout);
}
