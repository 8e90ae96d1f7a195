package dev.sluice.config.task;

import dev.sluice.config.document.Fields;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problems;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Reads the section {@code cutover} of a task file. Used for one file, by one thread. */
final class CutoverSection {
  private static final String ONE_KIND = "one of: exec, pgbouncer";

  private final Function<Node.Mapping, Fields> within;
  private final Path folder;
  private final Problems problems;

  /**
   * @param within gives the fields of a section, with references resolved
   * @param folder the task file's
   */
  CutoverSection(Function<Node.Mapping, Fields> within, Path folder, Problems problems) {
    this.within = within;
    this.folder = folder;
    this.problems = problems;
  }

  /** The section; without hooks if it is missing. */
  CutoverConfig read(Fields document) {
    Optional<Node.Mapping> section = document.mapping("cutover");
    if (section.isEmpty()) {
      return CutoverConfig.NONE;
    }
    Fields fields = within.apply(section.get());
    CutoverConfig config = hooksOf(fields);
    fields.refuseOthers();
    return config;
  }

  /** The key {@code hooks} of a section. */
  CutoverConfig hooksOf(Fields fields) {
    List<HookConfig> hooks = new ArrayList<>();
    fields.take("hooks").ifPresent(list -> hooks(list, hooks));
    return new CutoverConfig(hooks);
  }

  private void hooks(Node list, List<HookConfig> hooks) {
    if (!(list instanceof Node.Sequence items)) {
      problems.add(
          list.place(), list.kind(), "a list", "Write one item for each hook: - exec: {…}");
      return;
    }
    Set<String> names = new HashSet<>();
    for (Node item : items.items()) {
      Fields.mappingOf(item, problems)
          .flatMap(this::hook)
          .ifPresent(
              hook -> {
                if (!names.add(hook.name())) {
                  problems.add(
                      item.place(),
                      "another hook with the name \"" + hook.name() + "\"",
                      "names that differ: a pause is noted by the hook's name",
                      "Give one of them another name");
                }
                hooks.add(hook);
              });
    }
  }

  private Optional<HookConfig> hook(Node.Mapping item) {
    Fields kinds = within.apply(item);
    Optional<Node.Mapping> exec = kinds.mapping("exec");
    Optional<Node.Mapping> pgbouncer = kinds.mapping("pgbouncer");
    int before = problems.count();
    kinds.refuseOthers();
    if (problems.count() == before && exec.isPresent() == pgbouncer.isPresent()) {
      problems.add(
          item.place(),
          exec.isPresent() ? "two hooks in one item" : "no hook",
          ONE_KIND,
          "Write each hook as an item of its own: - exec: {…}");
    }
    Optional<HookConfig> command =
        exec.flatMap(mapping -> new ExecHookSection(within.apply(mapping), folder).read());
    return command.or(
        () ->
            pgbouncer.flatMap(
                mapping -> new PgbouncerHookSection(within.apply(mapping), within).read()));
  }
}
