import Search from "lucide-react/icons/search";
import type { ReactNode } from "react";
import { useShownProject } from "../lib/use-project-gone.ts";
import { texts } from "../texts/en.ts";
import { Key } from "../ui/keys.tsx";
import { ProjectSwitcher } from "./project-switcher.tsx";
import { useShell } from "./shell-context.ts";
import { ThemeMenu } from "./theme-menu.tsx";
import { UserMenu } from "./user-menu.tsx";

export interface TopBarProps {
	/** After the project: the tabs. */
	readonly children?: ReactNode;
	/** At the right, before search and theme: the time range, live. */
	readonly controls?: ReactNode;
}

export function TopBar({ children, controls }: TopBarProps): ReactNode {
	const project = useShownProject();
	const shell = useShell();
	return (
		<header className="flex h-11 shrink-0 items-center gap-2 border-line border-b px-3 max-sm:gap-1 max-sm:px-2">
			<ProjectSwitcher project={project} />
			{children}
			<div className="ml-auto flex shrink-0 items-center gap-1">
				{controls}
				<button
					type="button"
					onClick={shell.openCommand}
					className="flex h-7 items-center gap-2 rounded border border-line px-2 text-muted hover:bg-hover max-lg:hidden"
				>
					<Search size={14} aria-hidden />
					{texts.command.search}
					<span className="flex gap-0.5">
						<Key name="mod" />
						<Key name="K" />
					</span>
				</button>
				<ThemeMenu />
				<UserMenu />
			</div>
		</header>
	);
}
