const typed = new Set<HTMLInputElement | HTMLTextAreaElement>();

/** Remembers in which fields something was typed, to know whether leaving the page would lose it. */
export function watchTyping(): void {
	document.addEventListener("input", ({ target }) => {
		for (const field of typed) if (!field.isConnected) typed.delete(field);
		if (isForm(target)) typed.add(target);
	});
}

/** Searches are in the address, or quickly typed again. */
function isForm(target: EventTarget | null): target is HTMLInputElement | HTMLTextAreaElement {
	if (target instanceof HTMLTextAreaElement) return true;
	return target instanceof HTMLInputElement && target.type !== "search" && target.role !== "combobox";
}

/** Whether a field that is on the page holds something that was typed. */
export function hasTypedText(): boolean {
	return [...typed].some((field) => field.isConnected && field.value !== "");
}
