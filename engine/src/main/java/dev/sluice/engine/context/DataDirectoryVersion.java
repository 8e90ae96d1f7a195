package dev.sluice.engine.context;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * The version of what a daemon keeps in its data directory: the journal of the embedded broker and
 * the files beside it. It is a file with a number and the Sluice that wrote it. A newer version is
 * refused before anything is read. Stateless; the caller holds the {@link TaskLock}.
 *
 * <p>Directories from before there were versions have no such file.
 */
public final class DataDirectoryVersion {

  /**
   * The version that this Sluice reads and writes. It rises with each change after which an earlier
   * Sluice would read the directory wrongly. The records of the journal have a version of their
   * own.
   */
  static final int CURRENT = 1;

  private static final String FILE = "version";

  private DataDirectoryVersion() {}

  /** The problem that the directory is of a newer version; empty if it is readable or missing. */
  public static Optional<Problem> problem(Path directory) {
    Optional<String> text = read(directory);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    String[] words = text.get().split(" ", 2);
    Optional<Problem> refused;
    if (!words[0].matches("[0-9]{1,9}")) {
      refused =
          Optional.of(refused(directory, "has '%s' in the file %s".formatted(text.get(), FILE)));
    } else if (Integer.parseInt(words[0]) > CURRENT) {
      refused =
          Optional.of(
              refused(
                  directory,
                  "is of version %s, written by Sluice %s"
                      .formatted(words[0], words.length > 1 ? words[1] : "of an unknown release")));
    } else {
      refused = Optional.empty();
    }
    return refused;
  }

  /**
   * The same as a failure.
   *
   * @throws SluiceException.Fatal if the directory is of a newer version
   */
  public static void require(Path directory) {
    problem(directory)
        .ifPresent(
            newer -> {
              throw new SluiceException.Fatal(newer);
            });
  }

  /**
   * Notes durably that the directory is of this version now. Called once the task is claimed: until
   * then an earlier Sluice can go on with it.
   */
  public static void write(Path directory) {
    String text = CURRENT + " " + release() + "\n";
    if (read(directory).map(found -> found + "\n").filter(text::equals).isPresent()) {
      return;
    }
    try {
      Path written = directory.resolve(FILE + ".new");
      Files.writeString(written, text, StandardCharsets.UTF_8);
      try (FileChannel channel = FileChannel.open(written, StandardOpenOption.WRITE)) {
        channel.force(true);
      }
      Files.move(written, directory.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new SluiceException.Fatal(TaskLock.unusable(directory, e.toString()));
    }
  }

  /**
   * Forgets the version with the task, so that any Sluice can begin one here.
   *
   * @return whether there was one
   */
  public static boolean forget(Path directory) {
    try {
      return Files.deleteIfExists(directory.resolve(FILE));
    } catch (IOException e) {
      throw new SluiceException.Fatal(TaskLock.unusable(directory, e.toString()));
    }
  }

  private static Optional<String> read(Path directory) {
    try {
      return Optional.of(Files.readString(directory.resolve(FILE), StandardCharsets.UTF_8).strip());
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new SluiceException.Fatal(TaskLock.unusable(directory, e.toString()));
    }
  }

  private static Problem refused(Path directory, String found) {
    return new Problem(
        "data-dir " + directory,
        found,
        "version %d or earlier, which this Sluice (%s) reads".formatted(CURRENT, release()),
        "Run the task with the Sluice that wrote it or a later one; nothing is changed");
  }

  private static String release() {
    String version = DataDirectoryVersion.class.getPackage().getImplementationVersion();
    return version == null ? "of an unpacked build" : version;
  }
}
