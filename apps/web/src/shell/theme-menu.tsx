import Monitor from "lucide-react/icons/monitor";
import Moon from "lucide-react/icons/moon";
import Sun from "lucide-react/icons/sun";
import type { ReactNode } from "react";
import { setThemeChoice } from "../lib/theme.ts";
import { useTimeZone } from "../lib/time.ts";
import { useTheme, useThemeChoice } from "../lib/use-theme.ts";
import { texts } from "../texts/en.ts";
import { IconButton } from "../ui/button.tsx";
import { Menu, MenuChoices, MenuSeparator } from "../ui/menu.tsx";

/** Theme and time zone. */
export function ThemeMenu(): ReactNode {
	const choice = useThemeChoice();
	const theme = useTheme();
	const [zone, setZone] = useTimeZone();
	return (
		<Menu
			align="end"
			trigger={
				<IconButton label={`${texts.theme.title}, ${texts.theme.zone}`}>
					{theme === "dark" ? <Moon size={15} aria-hidden /> : <Sun size={15} aria-hidden />}
				</IconButton>
			}
		>
			<MenuChoices
				label={texts.theme.title}
				value={choice}
				onChange={setThemeChoice}
				choices={[
					{ value: "system", label: texts.theme.system, icon: <Monitor size={14} aria-hidden /> },
					{ value: "light", label: texts.theme.light, icon: <Sun size={14} aria-hidden /> },
					{ value: "dark", label: texts.theme.dark, icon: <Moon size={14} aria-hidden /> },
				]}
			/>
			<MenuSeparator />
			<MenuChoices
				label={texts.theme.zone}
				value={zone}
				onChange={setZone}
				choices={[
					{ value: "local", label: texts.theme.local },
					{ value: "utc", label: texts.theme.utc },
				]}
			/>
		</Menu>
	);
}
