const typed = new Set<HTMLInputElement | HTMLTextAreaElement>();

/** Remembers the fields in which something was typed, which leaving the page would lose. */
export function watchTyping(): void {
	document.addEventListener("input", ({ target }) => {
		for (const field of typed) if (!field.isConnected) typed.delete(field);
		if (isForm(target)) typed.add(target);
	});
}

/** Not search fields, whose text is in the address, or quickly typed again. */
function isForm(target: EventTarget | null): target is HTMLInputElement | HTMLTextAreaElement {
	if (target instanceof HTMLTextAreaElement) return true;
	return target instanceof HTMLInputElement && target.type !== "search" && target.role !== "combobox";
}

/** Whether any field on the page contains typed text. */
export function hasTypedText(): boolean {
	return [...typed].some((field) => field.isConnected && field.value !== "");
}
