import { localSetting } from "../../lib/local-setting.ts";
import { useLocalSetting } from "../../lib/use-local-setting.ts";

/** Texts are drawn as markdown or as they are, by one switch for all of them. */
export type TextView = "markdown" | "text";

const setting = localSetting("text-view");

export function useTextView(): [TextView, (view: TextView) => void] {
	const [view, set] = useLocalSetting(setting);
	return [view === "text" ? "text" : "markdown", (next) => set(next === "text" ? next : undefined)];
}
