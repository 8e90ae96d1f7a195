package dev.sluice.engine.command;

import dev.sluice.config.dms.DmsConversion;
import dev.sluice.config.dms.TaskFileDraft;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

@Command(
    name = "from-dms",
    description = {
      "Converts a task of AWS DMS into a task file. FILE is what aws dms describe-replication-tasks"
          + " prints as JSON. Lists each value that the task file does not take over, and what"
          + " Sluice does instead. Connects neither to AWS nor to a database, and never overwrites a"
          + " file.",
      "Returns 5 if the task file has values of DMS that sluice check will refuse, and lists them."
    },
    mixinStandardHelpOptions = true)
final class FromDmsCommand implements Callable<Integer> {
  @ParentCommand private SluiceCommand root;

  @Parameters(
      index = "0",
      paramLabel = "FILE",
      description = "The answer of aws dms describe-replication-tasks.")
  private Path tasks;

  @Option(
      names = "--task",
      paramLabel = "IDENTIFIER",
      description = "The task, if the file has several.")
  private String identifier;

  @Option(
      names = "--endpoints",
      paramLabel = "FILE",
      description =
          "The answer of aws dms describe-endpoints, for engine, host, port, database and user.")
  private Path endpoints;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "The name of the new task. Default: DMS's identifier in lower case.")
  private String name;

  @Option(
      names = "--output",
      paramLabel = "TASK.yaml",
      description = "The new task file. Default: the standard output.")
  private Path output;

  @Override
  public Integer call() {
    if (output != null && Files.exists(output)) {
      throw exists();
    }
    TaskFileDraft draft =
        DmsConversion.of(
            new DmsConversion.Request(
                tasks,
                Optional.ofNullable(identifier),
                Optional.ofNullable(endpoints),
                Optional.ofNullable(name),
                output == null ? Path.of("TASK.yaml") : output));
    if (output == null) {
      // A task file is UTF-8, whatever the terminal shows: another name would be another table.
      new PrintStream(System.out, true, StandardCharsets.UTF_8).print(draft.text());
    } else {
      write(draft.text());
    }
    draft.notes().forEach(note -> System.err.println("note: " + note));
    if (!draft.problems().isEmpty()) {
      System.err.println("sluice check will refuse the file until this is corrected in it:");
      new FailureReport(System.err, root.debug()).print(draft.problems());
      return ExitCode.NOT_COVERED;
    }
    return ExitCode.DONE;
  }

  private void write(String text) {
    boolean made = false;
    try (Writer file = Files.newBufferedWriter(output, StandardOpenOption.CREATE_NEW)) {
      made = true;
      file.write(text);
      file.flush();
    } catch (FileAlreadyExistsException e) {
      throw exists();
    } catch (IOException e) {
      if (made) {
        deleteIncomplete();
      }
      throw new SluiceException.Fatal(
          new Problem(
              "--output " + output,
              "cannot be written (" + e.getClass().getSimpleName() + ")",
              "a new file in a folder that you may write to",
              "Correct the path, make the folder, or free space on its disk"));
    }
    System.out.println("written: " + output);
  }

  /** Without its end the file would be a task with fewer settings. */
  private void deleteIncomplete() {
    try {
      Files.delete(output);
    } catch (IOException e) {
      System.err.println("incomplete, delete it: " + output);
    }
  }

  private SluiceException exists() {
    return new SluiceException.Fatal(
        new Problem(
            "--output " + output,
            "the file exists already",
            "a name that is free: no file is overwritten",
            "Choose another name, or move the file away"));
  }
}
