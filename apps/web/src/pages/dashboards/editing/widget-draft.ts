import { below } from "../layouts.ts";
import type { Widget } from "../widget-question.ts";

/** A widget without key and place. */
export type WidgetDraft = Omit<Widget, "key" | "layout"> & { readonly w: number; readonly h: number };

export const EMPTY_CHART: WidgetDraft = {
	...{ kind: "time_series", title: "", query: { of: "spans", measure: ["count"] }, text: null },
	...{ display: {}, w: 6, h: 5 },
};
export const EMPTY_TEXT: WidgetDraft = {
	...{ kind: "text", title: "", query: null, text: "", display: {}, w: 6, h: 3 },
};

export function newKey(): string {
	return crypto.randomUUID().slice(0, 8);
}

/** The widgets with another one below all. */
export function withWidget(widgets: readonly Widget[], { w, h, ...draft }: WidgetDraft, key: string): Widget[] {
	return [...widgets, { ...draft, key, layout: below(widgets, { w, h }) }];
}

/** The widget that a text holds, as it is copied; undefined where it holds none. What is in it, the server looks at. */
export function readWidget(text: string): WidgetDraft | undefined {
	try {
		const value = JSON.parse(text) as Partial<Widget> | null;
		if (typeof value !== "object" || value === null || typeof value.kind !== "string") return undefined;
		const { kind, title, query = null, text: markdown = null, display = {}, layout } = value;
		const size = (wanted: unknown, otherwise: number, most: number) =>
			typeof wanted === "number" && wanted >= 1 && wanted <= most ? Math.floor(wanted) : otherwise;
		return {
			kind,
			title: typeof title === "string" ? title : "",
			...{ query, text: markdown, display },
			...{ w: size(layout?.w, 6, 12), h: size(layout?.h, 5, 100) },
		};
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}
