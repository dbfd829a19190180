// long: the `java` launcher accepts a single source file.
// The Swing window of the action matrix: one of each widget. Listeners log every event as one JSON line in
// the file named on the command line. Accepts `reset`, `other`, `ticks` and `ask` on standard input. Started
// by swing_window.sh.

import java.awt.BorderLayout;
import java.awt.Color;
import java.awt.Dimension;
import java.awt.Graphics;
import java.awt.GridLayout;
import java.awt.KeyboardFocusManager;
import java.awt.datatransfer.DataFlavor;
import java.awt.datatransfer.StringSelection;
import java.awt.datatransfer.Transferable;
import java.awt.event.MouseAdapter;
import java.awt.event.MouseEvent;
import java.io.BufferedReader;
import java.io.FileWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import javax.swing.*;
import javax.swing.event.DocumentEvent;
import javax.swing.event.DocumentListener;
import javax.swing.event.PopupMenuEvent;
import javax.swing.event.PopupMenuListener;
import javax.swing.event.TreeExpansionEvent;
import javax.swing.event.TreeExpansionListener;
import javax.swing.plaf.basic.ComboPopup;
import javax.swing.text.JTextComponent;
import javax.swing.tree.DefaultMutableTreeNode;

public class MatrixWindow {
    private static final String[] FRUIT = {"Apple", "Banana", "Cherry", "Damson"};
    private static final String[] LANDS = {"Finland", "Norway", "Sweden"};
    private static final String[] SIZES = {"Small", "Medium", "Large"};
    private static final String[] REFUSED = {"Nothing", "Something", "Everything"};
    private static final int SETTLE_MS = 60;
    private static final int SPRING_MS = 10;
    private static final String[] TABS = {"Page one", "Page two", "Page three"};

    private final FileWriter log;
    private boolean muted = true;
    private final JFrame frame = new JFrame("Matrix Swing");
    private final JLabel counted = new JLabel("Pushes: 0");
    private final JLabel target = new JLabel("Drop target");
    private final JLabel slow = new JLabel("Slow: idle");
    private final JLabel clock = new JLabel("00:00");
    private final JLabel ticker = new JLabel("0");
    private final JToggleButton toggle = new JToggleButton("Toggle");
    private final JCheckBox check = new JCheckBox("Check");
    private final JCheckBoxMenuItem verbose = new JCheckBoxMenuItem("Verbose");
    private final JRadioButton[] radios = new JRadioButton[SIZES.length];
    private final JTextField entry = new JTextField(14);
    private final JTextField fixed = new JTextField(14);
    private final JPasswordField secret = new JPasswordField(14);
    private final JTextArea notes = new JTextArea(4, 14);
    private final JSpinner spin = new JSpinner(new SpinnerNumberModel(10, 0, 100, 1));
    private final JSlider slider = new JSlider(0, 100, 20);
    private final JComboBox<String> combo = new JComboBox<>(LANDS);
    private final JComboBox<String> editable = new JComboBox<>(LANDS);
    private final JTabbedPane tabs = new JTabbedPane();
    private final List<JList<String>> lists = new ArrayList<>();
    private final List<JScrollPane> panes = new ArrayList<>();
    private final JCheckBox veto = new JCheckBox("Veto");
    private final JCheckBox spring = new JCheckBox("Spring");
    private final JTextField upper = new JTextField(14);
    private final JTextField digits = new JTextField(14);
    private final JSpinner clamp = new JSpinner(new SpinnerNumberModel(10, 0, 100, 1));
    private final JComboBox<String> refuse = new JComboBox<>(REFUSED);
    private final List<Settled> corrected = new ArrayList<>();
    private final Canvas canvas = new Canvas();
    private JButton vanish;
    private JTree tree;
    private JDialog dialog;
    private int pushes;
    private final Timer timer = new Timer(50, event -> tick());

    MatrixWindow(String path) throws IOException {
        log = new FileWriter(path, true);
    }

    public static void main(String[] args) throws IOException {
        MatrixWindow window = new MatrixWindow(args[0]);
        SwingUtilities.invokeLater(window::show);
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            SwingUtilities.invokeLater(switch (line) {
                case "reset" -> window::reset;
                case "other" -> window::other;
                case "ticks" -> window.timer::start;
                case "ask" -> window::ask;
                default -> throw new IllegalArgumentException(line);
            });
        }
    }

    private static String json(Object value) {
        if (value instanceof String text) {
            return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n").replace("\t", "\\t")
                    + '"';
        }
        if (value instanceof List<?> many) {
            return '[' + String.join(", ", many.stream().map(MatrixWindow::json).toList()) + ']';
        }
        return String.valueOf(value);
    }

    private void say(String widget, String event, Object value) {
        if (!muted) {
            write("{\"widget\": " + json(widget) + ", \"event\": " + json(event) + ", \"value\": " + json(value) + "}");
        }
    }

    private synchronized void write(String line) {
        try {
            log.write(line + "\n");
            log.flush();
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }

    private static <C extends JComponent> C named(C widget, String name) {
        widget.getAccessibleContext().setAccessibleName(name);
        return widget;
    }

    private JButton button(JPanel column, String label, String widget, Runnable then) {
        JButton button = new JButton(label);
        button.addActionListener(event -> {
            say(widget, "pressed", null);
            then.run();
        });
        column.add(button);
        return button;
    }

    private JPanel buttons() {
        JPanel column = column();
        button(column, "Push", "push", () -> counted.setText("Pushes: " + ++pushes));
        column.add(counted);
        button(column, "Idle", "idle", () -> { });
        button(column, "Disabled", "disabled", () -> { }).setEnabled(false);
        toggle.addItemListener(event -> say("toggle", "toggled", toggle.isSelected()));
        check.addItemListener(event -> say("check", "toggled", check.isSelected()));
        column.add(toggle);
        column.add(check);
        ButtonGroup group = new ButtonGroup();
        for (int at = 0; at < SIZES.length; at++) {
            JRadioButton radio = new JRadioButton(SIZES[at]);
            radio.addItemListener(event -> {
                if (radio.isSelected()) {
                    say("radio", "chosen", radio.getText());
                }
            });
            group.add(radio);
            radios[at] = radio;
            column.add(radio);
        }
        button(column, "Ask", "ask", () -> SwingUtilities.invokeLater(this::ask));
        vanish = button(column, "Vanish", "vanish", () -> vanish.setVisible(false));
        button(column, "Slow", "slow", () -> {
            Timer later = new Timer(400, event -> {
                slow.setText("Slow: done");
                say("slow", "finished", null);
            });
            later.setRepeats(false);
            later.start();
        });
        column.add(slow);
        button(column, "Beside clock", "besideclock", () -> { });
        column.add(clock);
        column.add(ticker);
        return column;
    }

    private void text(JTextComponent field, String widget) {
        onText(field, () -> say(widget, "text", field.getText()));
    }

    private static void onText(JTextComponent field, Runnable changed) {
        field.getDocument().addDocumentListener(new DocumentListener() {
            public void insertUpdate(DocumentEvent event) {
                changed.run();
            }

            public void removeUpdate(DocumentEvent event) {
                changed.run();
            }

            public void changedUpdate(DocumentEvent event) {
                changed.run();
            }
        });
    }

    private JPanel fields() {
        JPanel column = column();
        fixed.setEditable(false);
        text(entry, "entry");
        text(fixed, "fixed");
        text(secret, "secret");
        text(notes, "notes");
        entry.addActionListener(event -> say("entry", "activated", entry.getText()));
        column.add(named(entry, "Entry"));
        column.add(named(fixed, "Fixed"));
        column.add(named(secret, "Secret"));
        column.add(new JScrollPane(named(notes, "Notes")));
        spin.addChangeListener(event -> say("spin", "value", spin.getValue()));
        slider.addChangeListener(event -> say("slider", "value", slider.getValue()));
        column.add(named(spin, "Spin"));
        column.add(named(slider, "Slider"));
        JProgressBar progress = named(new JProgressBar(0, 100), "Progress");
        progress.setValue(30);
        progress.addChangeListener(event -> say("progress", "value", progress.getValue()));
        column.add(progress);
        JLabel source = new JLabel("Drag source");
        source.setTransferHandler(new TransferHandler() {
            @Override
            public int getSourceActions(JComponent component) {
                return COPY;
            }

            @Override
            protected Transferable createTransferable(JComponent component) {
                return new StringSelection("Source");
            }
        });
        source.addMouseMotionListener(new MouseAdapter() {
            @Override
            public void mouseDragged(MouseEvent event) {
                source.getTransferHandler().exportAsDrag(source, event, TransferHandler.COPY);
            }
        });
        target.setTransferHandler(new TransferHandler() {
            @Override
            public boolean canImport(TransferSupport support) {
                return support.isDataFlavorSupported(DataFlavor.stringFlavor);
            }

            @Override
            public boolean importData(TransferSupport support) {
                try {
                    say("target", "dropped", support.getTransferable().getTransferData(DataFlavor.stringFlavor));
                    target.setText("Dropped");
                    return true;
                } catch (java.awt.datatransfer.UnsupportedFlavorException | IOException error) {
                    return false;
                }
            }
        });
        column.add(source);
        column.add(target);
        return column;
    }

    private JPanel choices() {
        JPanel column = column();
        combo.addActionListener(event -> say("combo", "chosen", combo.getSelectedItem()));
        editable.setEditable(true);
        JTextField inner = (JTextField) editable.getEditor().getEditorComponent();
        text(named(inner, "Editable text"), "editable");
        column.add(named(combo, "Combo"));
        column.add(named(editable, "Editable"));
        for (String tab : TABS) {
            tabs.addTab(tab, new JLabel("Inside " + tab));
        }
        tabs.addChangeListener(event -> say("tabs", "chosen", TABS[tabs.getSelectedIndex()]));
        column.add(named(tabs, "Tabs"));
        JButton area = new JButton("Context");
        JPopupMenu menu = new JPopupMenu();
        JMenuItem copy = new JMenuItem("Copy name");
        copy.addActionListener(event -> say("copyname", "pressed", null));
        menu.add(copy);
        opens(menu, "context");
        area.setComponentPopupMenu(menu);
        column.add(area);
        return column;
    }

    private void opens(JPopupMenu menu, String widget) {
        menu.addPopupMenuListener(new PopupMenuListener() {
            public void popupMenuWillBecomeVisible(PopupMenuEvent event) {
                say(widget, "opened", null);
            }

            public void popupMenuWillBecomeInvisible(PopupMenuEvent event) { }

            public void popupMenuCanceled(PopupMenuEvent event) { }
        });
    }

    private JPanel lists() {
        JPanel column = column();
        String[] trees = {"Apple tree", "Banana tree", "Cherry tree", "Damson tree"};
        String[] rows = new String[200];
        for (int number = 0; number < rows.length; number++) {
            rows[number] = "Row " + number;
        }
        list(column, "List", FRUIT, ListSelectionModel.SINGLE_SELECTION);
        list(column, "Multi", trees, ListSelectionModel.MULTIPLE_INTERVAL_SELECTION);
        list(column, "Long", rows, ListSelectionModel.SINGLE_SELECTION);
        DefaultMutableTreeNode root = new DefaultMutableTreeNode("All");
        String[][] kinds = {{"Animals", "Cat", "Dog"}, {"Plants", "Fern", "Moss"}};
        for (String[] kind : kinds) {
            DefaultMutableTreeNode parent = new DefaultMutableTreeNode(kind[0]);
            parent.add(new DefaultMutableTreeNode(kind[1]));
            parent.add(new DefaultMutableTreeNode(kind[2]));
            root.add(parent);
        }
        tree = named(new JTree(root), "Tree");
        tree.addTreeExpansionListener(new TreeExpansionListener() {
            public void treeExpanded(TreeExpansionEvent event) {
                say("tree", "expanded", List.of(event.getPath().getLastPathComponent().toString(), true));
            }

            public void treeCollapsed(TreeExpansionEvent event) {
                say("tree", "expanded", List.of(event.getPath().getLastPathComponent().toString(), false));
            }
        });
        pane(column, tree, "tree");
        return column;
    }

    private void list(JPanel column, String name, String[] rows, int mode) {
        String low = name.toLowerCase();
        JList<String> list = named(new JList<>(rows), name);
        list.setSelectionMode(mode);
        list.addListSelectionListener(event -> {
            if (!event.getValueIsAdjusting()) {
                say(low, "selected", list.getSelectedValuesList());
            }
        });
        list.addMouseListener(new MouseAdapter() {
            @Override
            public void mouseClicked(MouseEvent event) {
                if (event.getClickCount() == 2) {
                    say(low, "activated", list.getSelectedValue());
                }
            }
        });
        lists.add(list);
        pane(column, list, low);
    }

    private void pane(JPanel column, JComponent view, String low) {
        JScrollPane pane = new JScrollPane(view);
        pane.setPreferredSize(new Dimension(220, 140));
        pane.getVerticalScrollBar().addAdjustmentListener(event -> say(low, "scrolled", event.getValue()));
        panes.add(pane);
        column.add(pane);
    }

    /** Logs the state of a widget that the app corrects, once it has not changed for SETTLE_MS. */
    private final class Settled {
        private final Timer later;
        private final Supplier<Object> read;
        private Object logged;

        Settled(String widget, String event, Supplier<Object> read) {
            this.read = read;
            later = new Timer(SETTLE_MS, done -> {
                Object now = read.get();
                if (!Objects.equals(now, logged)) {
                    logged = now;
                    say(widget, event, now);
                }
            });
            later.setRepeats(false);
            corrected.add(this);
        }

        void changed() {
            later.restart();
        }

        void reset() {
            later.stop();
            logged = read.get();
        }
    }

    /** A button that is only drawn: a click changes its picture and nothing in the tree. */
    private final class Canvas extends JButton {
        private boolean filled;

        Canvas() {
            setPreferredSize(new Dimension(160, 34));
            setMaximumSize(getPreferredSize());
            addActionListener(event -> {
                filled = !filled;
                repaint();
                say("canvas", "pressed", null);
            });
        }

        @Override
        protected void paintComponent(Graphics graphics) {
            graphics.setColor(filled ? Color.BLUE : Color.LIGHT_GRAY);
            graphics.fillRect(0, 0, getWidth(), getHeight());
        }
    }

    /** Switches the box off a moment after it was switched on. */
    private void springing(JPanel column, JCheckBox box, String widget, int delayMs) {
        Settled settled = new Settled(widget, "toggled", box::isSelected);
        box.addItemListener(event -> {
            settled.changed();
            if (box.isSelected()) {
                Timer back = new Timer(delayMs, later -> box.setSelected(false));
                back.setRepeats(false);
                back.start();
            }
        });
        column.add(box);
    }

    /** Replaces the text by `correct` of it. A document cannot be changed in its own notification. */
    private void rewriting(JPanel column, JTextField field, String name, UnaryOperator<String> correct) {
        Settled settled = new Settled(name.toLowerCase(), "text", field::getText);
        onText(field, () -> {
            settled.changed();
            SwingUtilities.invokeLater(() -> {
                String text = field.getText();
                if (!text.equals(correct.apply(text))) {
                    field.setText(correct.apply(text));
                }
            });
        });
        column.add(named(field, name));
    }

    private JPanel corrections() {
        JPanel column = column();
        springing(column, veto, "veto", 0);
        springing(column, spring, "spring", SPRING_MS);
        rewriting(column, upper, "Upper", String::toUpperCase);
        rewriting(column, digits, "Digits", text -> text.replaceAll("\\D", ""));
        Settled clamped = new Settled("clamp", "value", clamp::getValue);
        clamp.addChangeListener(event -> {
            clamped.changed();
            SwingUtilities.invokeLater(() -> clamp.setValue(Math.min((Integer) clamp.getValue(), 50)));
        });
        column.add(named(clamp, "Clamp"));
        Settled refused = new Settled("refuse", "chosen", refuse::getSelectedItem);
        refuse.addItemListener(event -> {
            refused.changed();
            SwingUtilities.invokeLater(() -> refuse.setSelectedIndex(0));
        });
        column.add(named(refuse, "Refuse"));
        column.add(named(canvas, "Canvas"));
        return column;
    }

    private void resetCorrections() {
        veto.setSelected(false);
        spring.setSelected(false);
        upper.setText("");
        digits.setText("");
        clamp.setValue(10);
        refuse.setPopupVisible(false);
        refuse.setSelectedIndex(0);
        // Accessibility shows the selection of the pop-up list, which a refused choice leaves behind.
        if (refuse.getUI().getAccessibleChild(refuse, 0) instanceof ComboPopup popup) {
            popup.getList().setSelectedIndex(0);
        }
        canvas.filled = false;
        corrected.forEach(Settled::reset);
    }

    private JMenuBar menus() {
        JMenuBar bar = new JMenuBar();
        JMenu menu = new JMenu("Actions");
        opens(menu.getPopupMenu(), "actions");
        JMenuItem run = new JMenuItem("Run job");
        run.addActionListener(event -> say("runjob", "pressed", null));
        verbose.addItemListener(event -> say("verbose", "toggled", verbose.isSelected()));
        JMenuItem off = new JMenuItem("Not now");
        off.setEnabled(false);
        off.addActionListener(event -> say("notnow", "pressed", null));
        menu.add(run);
        menu.add(verbose);
        menu.add(off);
        bar.add(menu);
        return bar;
    }

    private static JPanel column() {
        JPanel column = new JPanel();
        column.setLayout(new BoxLayout(column, BoxLayout.Y_AXIS));
        return column;
    }

    private void show() {
        JPanel columns = new JPanel(new GridLayout(1, 5, 12, 0));
        for (JPanel column : List.of(buttons(), fields(), choices(), lists(), corrections())) {
            JPanel top = new JPanel(new BorderLayout());
            top.add(column, BorderLayout.NORTH);
            columns.add(top);
        }
        frame.setDefaultCloseOperation(JFrame.EXIT_ON_CLOSE);
        frame.setJMenuBar(menus());
        frame.add(columns);
        frame.setSize(1100, 800);
        frame.setVisible(true);
        KeyboardFocusManager.getCurrentKeyboardFocusManager().addPropertyChangeListener("focusOwner", event -> {
            if (event.getNewValue() == entry) {
                say("Entry", "focused", null);
            }
        });
        System.out.println("ready");
    }

    private void ask() {
        dialog = new JDialog(frame, "Question", true);
        JPanel answers = new JPanel();
        for (String answer : List.of("Yes", "No")) {
            JButton button = new JButton(answer);
            button.addActionListener(event -> {
                say("ask", "answered", answer.toLowerCase());
                dialog.dispose();
            });
            answers.add(button);
        }
        dialog.add(new JLabel("Really continue?"), BorderLayout.CENTER);
        dialog.add(answers, BorderLayout.SOUTH);
        dialog.pack();
        dialog.setLocationRelativeTo(frame);
        SwingUtilities.invokeLater(() -> say("ask", "opened", null));
        dialog.setVisible(true);
    }

    private void tick() {
        int number = Integer.parseInt(ticker.getText()) + 1;
        ticker.setText(String.valueOf(number));
        if (number % 20 == 0) {
            clock.setText(String.format("00:%02d", number / 20));
        }
    }

    private void other() {
        muted = true;
        toggle.setSelected(true);
        check.setSelected(true);
        verbose.setSelected(true);
        for (int row = 0; row < tree.getRowCount(); row++) {
            tree.expandRow(row);
        }
        resume();
    }

    private void resume() {
        Timer end = new Timer(40, event -> {
            muted = false;
            write("{\"event\": \"reset\"}");
        });
        end.setRepeats(false);
        end.start();
    }

    private void reset() {
        muted = true;
        timer.stop();
        if (dialog != null) {
            dialog.dispose();
        }
        MenuSelectionManager.defaultManager().clearSelectedPath();
        pushes = 0;
        counted.setText("Pushes: 0");
        target.setText("Drop target");
        slow.setText("Slow: idle");
        vanish.setVisible(true);
        toggle.setSelected(false);
        check.setSelected(false);
        verbose.setSelected(false);
        radios[0].setSelected(true);
        entry.setText("start");
        entry.setCaretPosition("start".length());
        fixed.setText("fixed text");
        secret.setText("");
        notes.setText("first line\nsecond line");
        spin.setValue(10);
        slider.setValue(20);
        combo.setPopupVisible(false);
        combo.setSelectedIndex(0);
        editable.setSelectedIndex(2);
        tabs.setSelectedIndex(0);
        lists.forEach(JList::clearSelection);
        tree.clearSelection();
        for (int row = tree.getRowCount() - 1; row > 0; row--) {
            tree.collapsePath(tree.getPathForRow(row));
        }
        panes.forEach(pane -> pane.getVerticalScrollBar().setValue(0));
        resetCorrections();
        KeyboardFocusManager.getCurrentKeyboardFocusManager().clearFocusOwner();
        resume();
    }
}
