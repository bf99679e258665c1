import { usageFailure } from "../failure.ts";
import type { Invocation } from "../invocation.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

/** `spanward completion`: a script that makes a shell ask this installation for what a word may become. */
export async function printCompletion(invocation: Invocation): Promise<undefined> {
	const shell = SHELLS.find((one) => one === invocation.argument(0));
	if (shell === undefined) throw usageFailure(`The shell is one of ${SHELLS.join(", ")}.`);
	const program = [process.execPath, "--disable-warning=ExperimentalWarning", `${import.meta.dirname}/../main.ts`];
	const cache = invocation.io.environment["NODE_COMPILE_CACHE"];
	const env = cache === undefined ? [] : ["env", `NODE_COMPILE_CACHE=${cache}`];
	const call = [...env, ...program].map(quoted).join(" ");
	await invocation.terminal.write({ bash, zsh, fish }[shell](call));
	return undefined;
}

function quoted(word: string): string {
	return /^[\w./=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

// A name may be anything: it is quoted, so that a shell never runs it.
const bash = (call: string) => `# bash: eval "$(spanward completion bash)" in ~/.bashrc
_spanward() {
	local candidate
	COMPREPLY=()
	while IFS= read -r candidate; do
		COMPREPLY+=("$(printf '%q' "$candidate")")
	done < <(${call} __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _spanward spanward
`;

const zsh = (call: string) => `# zsh: eval "$(spanward completion zsh)" in ~/.zshrc, after compinit
_spanward() {
	local -a candidates
	candidates=("\${(@f)$(${call} __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
	if [[ -n "\${candidates[1]}" ]]; then compadd -- "\${candidates[@]}"; else _files; fi
}
compdef _spanward spanward
`;

const fish = (call: string) => `# fish: spanward completion fish > ~/.config/fish/completions/spanward.fish
function __spanward_complete
	set -l words (commandline -opc)
	${call} __complete -- $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c spanward -a '(__spanward_complete)'
`;
