import { localSetting } from "../../lib/local-setting.ts";
import { useLocalSetting } from "../../lib/use-local-setting.ts";

const setting = localSetting("value-view");

/** Whether values are read as text or as JSON, on this browser. */
export function useValueView(): ["text" | "json", (view: "text" | "json") => void] {
	const [view, set] = useLocalSetting(setting);
	return [view === "json" ? "json" : "text", (next) => set(next === "text" ? undefined : next)];
}
