package example.keylane.spark;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;

/** A standalone cluster on the loopback interface: a master and workers, each a process with Spark's own classes. */
final class Cluster implements AutoCloseable {
    static final String HOST = "127.0.0.1";
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final Path folder;
    private final Path home;
    private final Map<String, Process> processes = new LinkedHashMap<>();
    private final String url;
    private final String web;

    /** Starts the master. Everything is written below {@code folder}. */
    Cluster(Path folder) throws IOException {
        this.folder = folder;
        home = home(folder.resolve("home"));
        int port = freePort();
        int page = freePort();
        url = "spark://" + HOST + ":" + port;
        web = "http://" + HOST + ":" + page;
        start("master", Map.of(), "master.Master", "--host", HOST, "--port", "" + port, "--webui-port", "" + page);
        await("the master", () -> get(web + "/json/") != null);
    }

    /** What workers start executors from: a folder with Spark's archives, and without keylane's. */
    private static Path home(Path home) throws IOException {
        Path jars = Files.createDirectories(home.resolve("jars"));
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path archive = Path.of(entry);
            if (entry.endsWith(".jar") && !archive.getFileName().toString().startsWith("keylane")) {
                Files.createSymbolicLink(jars.resolve(archive.getFileName()), archive);
            }
        }
        return home;
    }

    /** A port that nothing uses now. */
    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(HOST))) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The text at an address, or {@code null} if nobody answers. */
    static String get(String address) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address)).timeout(Duration.ofSeconds(30)).build();
        try {
            return CLIENT.send(request, HttpResponse.BodyHandlers.ofString()).body();
        } catch (IOException e) {
            return null;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits until something is so, for at most three minutes. */
    static void await(String what, BooleanSupplier isSo) {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
        while (!isSo.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("waited in vain for " + what);
            }
            try {
                Thread.sleep(20);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    String url() {
        return url;
    }

    String web() {
        return web;
    }

    /** Adds a worker with one core. Its executors have these environment variables too. */
    void addWorker(String name, Map<String, String> environment) throws IOException {
        long before = alive();
        start(name, environment, "worker.Worker", "--cores", "1", "--memory", "1g", "--host", HOST, "--webui-port",
                "" + freePort(), "-d", folder.resolve(name).toString(), url);
        await("the worker " + name, () -> alive() > before);
    }

    private long alive() {
        String state = get(web + "/json/");
        return state == null ? 0 : Pattern.compile("\"state\" *: *\"ALIVE\"").matcher(state).results().count();
    }

    private void start(String name, Map<String, String> environment, String role, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(List.of(System.getProperty("keylane.spark.options").strip().split("\\s+")));
        command.addAll(List.of("-Xmx512m", "-cp", home.resolve("jars") + File.separator + "*"));
        command.add("org.apache.spark.deploy." + role);
        command.addAll(List.of(arguments));
        File log = folder.resolve(name + ".log").toFile();
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log);
        builder.environment().remove("KEYLANE_KEY_DIR");
        builder.environment().putAll(Map.of("SPARK_HOME", home.toString(), "SPARK_SCALA_VERSION", "2.13",
                "SPARK_LOCAL_IP", HOST, "SPARK_LOCAL_DIRS", folder.resolve("local").toString()));
        builder.environment().putAll(environment);
        processes.put(name, builder.start());
    }

    /** Ends a worker and its executors at once, as if its machine lost power. */
    void kill(String name) {
        Process process = processes.remove(name);
        List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
        all.add(process.toHandle());
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(one -> one.onExit().join());
    }

    @Override
    public void close() {
        List.copyOf(processes.keySet()).forEach(this::kill);
    }
}
