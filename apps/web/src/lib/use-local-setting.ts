import { useSyncExternalStore } from "react";
import type { LocalSetting } from "./local-setting.ts";

export function useLocalSetting(setting: LocalSetting): [string | undefined, (value: string | undefined) => void] {
	return [useSyncExternalStore(setting.subscribe, setting.get), setting.set];
}
