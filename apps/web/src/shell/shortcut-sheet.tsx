import type { ReactNode } from "react";
import { useShortcutList } from "../lib/shortcuts.tsx";
import { texts } from "../texts/en.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Key } from "../ui/keys.tsx";

/** Lists the shortcuts of the current page. */
export function ShortcutSheet({ onClose }: { onClose: () => void }): ReactNode {
	const groups = useShortcutList(true);
	return (
		<Dialog open onOpenChange={onClose} title={texts.shortcuts.title}>
			<div className="grid gap-x-8 gap-y-4 overflow-auto p-4">
				{groups.map((group) => (
					<section key={group.title}>
						<h3 className="mb-1 font-semibold">{group.title}</h3>
						<dl>
							{group.shortcuts.map((shortcut) => (
								<div key={shortcut.label} className="flex items-center justify-between gap-4 py-0.5">
									<dt>{shortcut.label}</dt>
									<dd className="flex gap-1">
										{shortcut.keys.map((key) => (
											<span key={key} className="flex gap-0.5">
												{key.split("+").map((part) => (
													<Key key={part} name={part} />
												))}
											</span>
										))}
									</dd>
								</div>
							))}
						</dl>
					</section>
				))}
			</div>
		</Dialog>
	);
}
